package io.konduit.queue.worker;

import io.konduit.queue.RetryPolicy;
import io.konduit.queue.error.ErrorTexts;
import io.konduit.queue.handler.PayloadConverter;
import io.konduit.queue.observation.TaskObservations;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * What the application sets up for the runs of its handlers.
 *
 * @param transactionManager for transactional handlers; null if the queue's data source has none
 */
public record RunEnvironment(
        PayloadConverter converter,
        RetryPolicy retryPolicy,
        ErrorTexts errors,
        TaskObservations observations,
        @Nullable PlatformTransactionManager transactionManager) {}
