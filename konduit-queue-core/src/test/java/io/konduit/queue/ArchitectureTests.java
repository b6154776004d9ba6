package io.konduit.queue;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import io.konduit.queue.worker.WorkerIdentity;
import java.time.Clock;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.Date;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The rules that keep the core a library, and each concern in one home. */
class ArchitectureTests {
    private static final String ROOT = "io.konduit.queue";

    /** The classes of this module only: others have the same root package. */
    private static final JavaClasses CORE = new ClassFileImporter()
            .importUrl(
                    WorkerIdentity.class.getProtectionDomain().getCodeSource().getLocation());

    private static final DescribedPredicate<JavaClass> IN_ROOT_PACKAGE = DescribedPredicate.describe(
            "in the public package", type -> type.getPackageName().equals(ROOT));

    private static final Set<String> PUBLIC = Set.of(ROOT, ROOT + ".event", ROOT + ".admin");

    private static final DescribedPredicate<JavaClass> INTERNAL = DescribedPredicate.describe(
            "internal", type -> type.getPackageName().startsWith(ROOT) && !PUBLIC.contains(type.getPackageName()));

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
    void onlyFivePackagesTalkToTheDatabase() {
        noClasses()
                .that()
                .resideOutsideOfPackages(
                        ROOT + ".jdbc..", ROOT + ".insert..", ROOT + ".store..", ROOT + ".review..", ROOT + ".schema..")
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
                .because("statements are sent by store, review and insert, on connections of jdbc")
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
                .or()
                .resideInAnyPackage(ROOT + ".event", ROOT + ".admin")
                .should()
                .dependOnClassesThat(INTERNAL)
                .check(CORE);
        noClasses()
                .that(IN_ROOT_PACKAGE)
                .or()
                .resideInAPackage(ROOT + ".event")
                .should()
                .dependOnClassesThat()
                .resideInAPackage(ROOT + ".admin")
                .check(CORE);
    }

    @Test
    void publicPackagesShowNoInternalType() {
        classes()
                .that(IN_ROOT_PACKAGE)
                .or()
                .resideInAnyPackage(ROOT + ".event", ROOT + ".admin")
                .should(showOnly(DescribedPredicate.not(INTERNAL)))
                .check(CORE);
    }

    /** Whether every type in a signature that applications can reach is allowed, type arguments included. */
    private static ArchCondition<JavaClass> showOnly(DescribedPredicate<JavaClass> allowed) {
        return new ArchCondition<>("show only types that are not internal") {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                if (!isReachable(type)) {
                    return;
                }
                report(type, type.getDescription(), superTypes(type), events);
                type.getMembers().stream()
                        .filter(ArchitectureTests::isReachable)
                        .forEach(member -> report(type, member.getDescription(), signature(member), events));
            }

            private void report(JavaClass owner, String where, Stream<JavaType> shown, ConditionEvents events) {
                shown.flatMap(each -> each.getAllInvolvedRawTypes().stream())
                        .distinct()
                        .filter(DescribedPredicate.not(allowed))
                        .forEach(each ->
                                events.add(SimpleConditionEvent.violated(owner, where + " shows " + each.getName())));
            }
        };
    }

    private static Stream<JavaType> superTypes(JavaClass type) {
        return Stream.of(
                        type.getSuperclass().stream(), type.getInterfaces().stream(), type.getTypeParameters().stream())
                .flatMap(each -> each)
                .map(JavaType.class::cast);
    }

    private static Stream<JavaType> signature(JavaMember member) {
        if (member instanceof JavaField field) {
            return Stream.of(field.getType());
        }
        JavaCodeUnit unit = (JavaCodeUnit) member;
        return Stream.of(
                        Stream.of(unit.getReturnType()),
                        unit.getParameterTypes().stream(),
                        unit.getTypeParameters().stream(),
                        unit.getExceptionTypes().stream())
                .flatMap(each -> each)
                .map(JavaType.class::cast);
    }

    private static boolean isReachable(JavaClass type) {
        return isReachable(type.getModifiers())
                && type.getEnclosingClass().map(ArchitectureTests::isReachable).orElse(true);
    }

    private static boolean isReachable(JavaMember member) {
        return isReachable(member.getModifiers());
    }

    private static boolean isReachable(Set<JavaModifier> modifiers) {
        return (modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED))
                && !modifiers.contains(JavaModifier.SYNTHETIC);
    }

    @Test
    void dependenciesHaveOneDirection() {
        layer("jdbc", "insert", "store", "review", "enqueue", "worker", "recovery", "leader", "operations");
        layer("store", "review", "enqueue", "worker", "recovery", "leader", "operations");
        layer("insert", "store", "review", "worker", "recovery", "leader", "operations");
        layer("review", "enqueue", "worker", "recovery", "leader", "operations");
        layer("enqueue", "worker", "recovery", "leader", "operations");
        layer("failover", "enqueue", "worker", "recovery", "leader", "operations");
        layer("worker", "recovery", "leader", "operations");
        layer("leader", "worker", "recovery", "operations");
        layer("recovery", "worker", "operations");
    }

    @Test
    void whatOperatorsReadAndDecideIsUsedForThemOnly() {
        noClasses()
                .that()
                .resideOutsideOfPackages(ROOT + ".review..", ROOT + ".operations..", ROOT + ".metrics..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage(ROOT + ".review..")
                .check(CORE);
    }

    @Test
    void nothingDependsOnTheCompositionButWhatIsMadeOfIt() {
        noClasses()
                .that()
                .resideOutsideOfPackage(ROOT + ".engine..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage(ROOT + ".engine..")
                .check(CORE);
    }

    /** The package depends on none of those above it. */
    private static void layer(String room, String... above) {
        noClasses()
                .that()
                .resideInAPackage(ROOT + "." + room + "..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        Stream.of(above).map(each -> ROOT + "." + each + "..").toArray(String[]::new))
                .check(CORE);
    }

    @Test
    @Tag("L20")
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
        noClasses()
                .that()
                .resideOutsideOfPackage(ROOT + ".leader..")
                .should()
                .accessClassesThat()
                .areAssignableTo(Clock.class)
                .because("only the scheduler of the chores needs one, for its first pass")
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
