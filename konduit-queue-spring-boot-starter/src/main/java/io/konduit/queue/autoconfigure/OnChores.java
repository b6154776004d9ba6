package io.konduit.queue.autoconfigure;

import io.konduit.queue.settings.PropertyNames;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Whether this instance runs the background chores: a worker does, unless {@code konduit.queue.chores.enabled} decides. */
public final class OnChores extends SpringBootCondition {

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        Environment environment = context.getEnvironment();
        boolean worker = environment.getProperty(PropertyNames.WORKER_ENABLED, Boolean.class, true);
        boolean chores = environment.getProperty(PropertyNames.CHORES_ENABLED, Boolean.class, worker);
        ConditionMessage.Builder message = ConditionMessage.forCondition("background chores");
        return chores
                ? ConditionOutcome.match(message.because("this instance runs them"))
                : ConditionOutcome.noMatch(message.because("neither '" + PropertyNames.CHORES_ENABLED + "' nor" + " '"
                        + PropertyNames.WORKER_ENABLED + "' switches them on"));
    }
}
