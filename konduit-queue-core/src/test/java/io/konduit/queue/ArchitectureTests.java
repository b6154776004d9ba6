package io.konduit.queue;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.konduit.queue.worker.WorkerIdentity;
import java.time.Clock;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.Date;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** The rules that keep the core a library, and each concern in one place. */
class ArchitectureTests {
    private static final String ROOT = "io.konduit.queue";

    /** The classes of this module only: others have the same root package. */
    private static final JavaClasses CORE = new ClassFileImporter()
            .importUrl(
                    WorkerIdentity.class.getProtectionDomain().getCodeSource().getLocation());

    private static final DescribedPredicate<JavaClass> IN_ROOT_PACKAGE = DescribedPredicate.describe(
            "in the public package", type -> type.getPackageName().equals(ROOT));

    @Test
    void thereIsSomethingToCheck() {
        assertThat(CORE.contain(WorkerIdentity.class)).isTrue();
        assertThat(CORE.size()).isGreaterThan(100);
    }

    @Test
    void coreNeedsSpringNeverBoot() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.springframework.boot..")
                .check(CORE);
    }

    @Test
    void onlyTheStoreAndTheSchemaTalkToTheDatabase() {
        noClasses()
                .that()
                .resideOutsideOfPackages(ROOT + ".store..", ROOT + ".schema..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "java.sql..",
                        "javax.sql..",
                        "org.springframework.jdbc..",
                        "org.springframework.data..",
                        "org.postgresql..",
                        "com.zaxxer..",
                        "org.flywaydb..")
                .because("the store is the only place that knows tables")
                .check(CORE);
    }

    @Test
    void theSchemaIsTheOnlyUserOfFlyway() {
        noClasses()
                .that()
                .resideOutsideOfPackage(ROOT + ".schema..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.flywaydb..")
                .check(CORE);
    }

    @Test
    void packagesHaveNoCycles() {
        slices().matching(ROOT + ".(*)..").should().beFreeOfCycles().check(CORE);
    }

    @Test
    void whatApplicationsImportDependsOnNothingInternal() {
        noClasses()
                .that(IN_ROOT_PACKAGE)
                .should()
                .dependOnClassesThat(DescribedPredicate.describe(
                        "internal", type -> type.getPackageName().startsWith(ROOT + ".")))
                .check(CORE);
    }

    @Test
    void betweenNodesOnlyTheClockOfTheDatabaseCounts() {
        for (Class<?> time : List.of(
                Instant.class, LocalDateTime.class, LocalDate.class, OffsetDateTime.class, ZonedDateTime.class)) {
            noClasses().should().callMethod(time, "now").check(CORE);
        }
        noClasses()
                .should()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callConstructor(Date.class)
                .orShould()
                .callMethod(Clock.class, "systemUTC")
                .orShould()
                .callMethod(Clock.class, "systemDefaultZone")
                .check(CORE);
    }

    @Test
    void onlyTheIdentityOfAWorkerIsRandom() {
        noClasses()
                .that()
                .doNotBelongToAnyOf(WorkerIdentity.class)
                .should()
                .callMethod(UUID.class, "randomUUID")
                .check(CORE);
    }

    @Test
    void everyPackageIsNullMarkedAndSaysWhatItIs() {
        JavaPackage root = CORE.getPackage(ROOT);
        assertThat(Stream.concat(Stream.of(root), root.getSubpackagesInTree().stream())
                        .filter(each -> !each.getClasses().isEmpty())
                        .filter(each -> !each.isAnnotatedWith(NullMarked.class))
                        .map(JavaPackage::getName))
                .isEmpty();
    }

    @Test
    void exceptionsOfTheApiHaveOneRoot() {
        classes()
                .that(IN_ROOT_PACKAGE)
                .and()
                .areAssignableTo(RuntimeException.class)
                .and()
                .areNotAssignableTo(DoNotRetryException.class)
                .should()
                .beAssignableTo(TaskQueueException.class)
                .check(CORE);
    }

    @Test
    void nothingPrintsToTheConsole() {
        noClasses()
                .should()
                .accessField(System.class, "out")
                .orShould()
                .accessField(System.class, "err")
                .check(CORE);
    }
}
