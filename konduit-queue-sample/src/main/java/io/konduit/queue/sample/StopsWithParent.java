package io.konduit.queue.sample;

import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.stereotype.Component;

/** In the second worker: when the first one is gone, nobody could stop it any more. */
@Component
@ConditionalOnBooleanProperty("sample.stops-with-parent")
class StopsWithParent implements ApplicationRunner {

    @Override
    public void run(ApplicationArguments arguments) {
        ProcessHandle.current().parent().ifPresent(parent -> parent.onExit().thenRun(() -> System.exit(0)));
    }
}
