package io.konduit.queue.autoconfigure;

import io.konduit.queue.handler.HiddenHandlers;
import io.konduit.queue.handler.JobHandlerRegistry;
import io.konduit.queue.handler.PayloadConverter;
import io.konduit.queue.handler.PayloadTypeCheck;
import org.springframework.beans.factory.SmartInitializingSingleton;

/** Looks for handlers once all beans are there, so that a wrong one stops the start, also where no worker runs. */
record JobHandlerCheck(JobHandlerRegistry handlers, PayloadConverter converter, HiddenHandlers hidden)
        implements SmartInitializingSingleton {

    @Override
    public void afterSingletonsInstantiated() {
        hidden.reveal();
        handlers.refresh();
        PayloadTypeCheck.check(handlers.all(), converter);
    }
}
