package io.konduit.queue.autoconfigure;

import io.konduit.queue.handler.HiddenHandlers;
import io.konduit.queue.handler.JobHandlerRegistry;
import io.konduit.queue.handler.PayloadConverter;
import io.konduit.queue.handler.PayloadTypeCheck;
import io.konduit.queue.schedule.DeclaredSchedules;
import java.util.function.Supplier;
import org.springframework.beans.factory.SmartInitializingSingleton;

/** Looks for handlers once all beans exist, so that an invalid one fails the start-up even where no worker runs. */
record JobHandlerCheck(
        JobHandlerRegistry handlers,
        PayloadConverter converter,
        HiddenHandlers hidden,
        Supplier<DeclaredSchedules> schedules)
        implements SmartInitializingSingleton {

    @Override
    public void afterSingletonsInstantiated() {
        hidden.reveal();
        handlers.refresh();
        PayloadTypeCheck.check(handlers.all(), converter);
        if (handlers.all().stream().anyMatch(handler -> handler.recurrence() != null)) {
            // not otherwise: an application with lazy beans has no engine yet
            schedules.get().check();
        }
    }
}
