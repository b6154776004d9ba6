package io.konduit.queue.autoconfigure;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import io.konduit.queue.engine.QueueChores;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;

/** What the starter shows is public on purpose: applications may use it, and releases keep it. */
class PublicTypesTests {
    private static final String ROOT = "io.konduit.queue";
    private static final String PACKAGE = ROOT + ".autoconfigure";

    private static final JavaClasses STARTER = new ClassFileImporter()
            .importUrl(KonduitQueueProperties.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation());

    private static final Set<String> PUBLIC =
            Set.of(ROOT, ROOT + ".event", ROOT + ".admin", ROOT + ".testing", PACKAGE);

    private static final DescribedPredicate<JavaClass> INTERNAL = describe(
            "internal",
            type -> type.getPackageName().startsWith(ROOT)
                    && (!PUBLIC.contains(type.getPackageName())
                            || !type.getModifiers().contains(JavaModifier.PUBLIC)));

    @Test
    void onlyTheseTypesArePublic() {
        assertThat(STARTER.stream()
                        .filter(type -> type.getPackageName().equals(PACKAGE) && type.isTopLevelClass())
                        .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC))
                        .map(JavaClass::getSimpleName))
                .containsExactlyInAnyOrder(
                        "KonduitQueueAutoConfiguration",
                        "KonduitQueueInstanceAutoConfiguration",
                        "KonduitQueueWorkerAutoConfiguration",
                        "KonduitQueueRecoveryAutoConfiguration",
                        "KonduitQueueProperties",
                        "KonduitQueueDataSource",
                        // a condition for the auto-configurations in packages of their own
                        "OnChores");
    }

    @Test
    void autoConfigurationsArePublicAndFinal() {
        classes()
                .that()
                .areAnnotatedWith(AutoConfiguration.class)
                .should()
                .bePublic()
                .andShould()
                .haveModifier(JavaModifier.FINAL)
                .check(STARTER);
    }

    @Test
    void beanMethodsArePackagePrivate() {
        methods()
                .that()
                .areAnnotatedWith(Bean.class)
                .should()
                .bePackagePrivate()
                .check(STARTER);
    }

    @Test
    void publicMembersShowNoInternalType() {
        classes().that().resideInAPackage(PACKAGE).should(showNoInternalType()).check(STARTER);
    }

    @Test
    void noticesAnInternalTypeInASignature() {
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> classes()
                        .should(showNoInternalType())
                        .check(new ClassFileImporter().importClasses(Telltale.class)))
                .withMessageContaining("shows " + QueueChores.class.getName());
    }

    public static final class Telltale {
        public Set<QueueChores> chores() {
            return Set.of();
        }
    }

    /** In whatever an application can call, type arguments included. */
    private static ArchCondition<JavaClass> showNoInternalType() {
        return new ArchCondition<>("show no internal type") {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                if (!type.getModifiers().contains(JavaModifier.PUBLIC)) {
                    return;
                }
                type.getMembers().stream()
                        .filter(member -> member.getModifiers().contains(JavaModifier.PUBLIC))
                        .forEach(member -> member.getAllInvolvedRawTypes().stream()
                                .filter(INTERNAL)
                                .forEach(shown -> events.add(SimpleConditionEvent.violated(
                                        member, member.getDescription() + " shows " + shown.getName()))));
            }
        };
    }
}
