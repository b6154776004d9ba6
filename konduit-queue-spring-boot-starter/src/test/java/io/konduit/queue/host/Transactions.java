package io.konduit.queue.host;

import org.springframework.context.ApplicationContext;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** The transactions of an application's own code. */
public final class Transactions {
    private Transactions() {}

    public static TransactionTemplate required(ApplicationContext context) {
        return required(context.getBean(PlatformTransactionManager.class));
    }

    public static TransactionTemplate requiresNew(ApplicationContext context) {
        return requiresNew(context.getBean(PlatformTransactionManager.class));
    }

    static TransactionTemplate required(PlatformTransactionManager manager) {
        return new TransactionTemplate(manager);
    }

    static TransactionTemplate requiresNew(PlatformTransactionManager manager) {
        return with(TransactionDefinition.PROPAGATION_REQUIRES_NEW, manager);
    }

    static TransactionTemplate nested(PlatformTransactionManager manager) {
        return with(TransactionDefinition.PROPAGATION_NESTED, manager);
    }

    private static TransactionTemplate with(int propagation, PlatformTransactionManager manager) {
        TransactionTemplate template = new TransactionTemplate(manager);
        template.setPropagationBehavior(propagation);
        return template;
    }
}
