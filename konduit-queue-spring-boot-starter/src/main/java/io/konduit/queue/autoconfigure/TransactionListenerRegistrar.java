package io.konduit.queue.autoconfigure;

import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.worker.LeaseFence;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Registers the queue's listener with every transaction manager: those that exist when the application is set up, and
 * those that are created later. In a worker the fence is that listener, which checks what handlers commit.
 */
final class TransactionListenerRegistrar implements BeanPostProcessor, SmartInitializingSingleton {
    private static final Logger log = LoggerFactory.getLogger(TransactionListenerRegistrar.class);

    private final ConfigurableListableBeanFactory beans;
    private volatile @Nullable TransactionExecutionListener listener;
    private volatile @Nullable QueueDatabase database;
    private volatile boolean started;

    TransactionListenerRegistrar(ConfigurableListableBeanFactory beans) {
        this.beans = beans;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        if (bean instanceof QueueDatabase created) {
            found(created);
        } else if (bean instanceof ConfigurableTransactionManager manager) {
            register(manager);
        } else if (bean instanceof PlatformTransactionManager) {
            log.warn(
                    "Transaction manager '{}' ({}) accepts no listeners: commits inside a handler are not checked for a lost lease, and tasks enqueued in its after-commit callbacks may not be committed",
                    name,
                    bean.getClass().getName());
        }
        return bean;
    }

    /** The fence needs the database, so it is looked up only after everything else exists. */
    @Override
    public void afterSingletonsInstantiated() {
        started = true;
        if (hasFence()) {
            registerWithAll(beans.getBean(LeaseFence.class));
            return;
        }
        QueueDatabase known = database;
        if (known != null) {
            registerWithAll(known.endedTransactions());
        }
    }

    /** A producer with lazy beans may have no database yet, and must not be forced to create one. */
    private void found(QueueDatabase created) {
        database = created;
        if (started && !hasFence()) {
            registerWithAll(created.endedTransactions());
        }
    }

    private boolean hasFence() {
        return beans.getBeanNamesForType(LeaseFence.class, true, false).length > 0;
    }

    private void registerWithAll(TransactionExecutionListener found) {
        listener = found;
        for (String name : BeanFactoryUtils.beanNamesForTypeIncludingAncestors(
                beans, ConfigurableTransactionManager.class, true, false)) {
            if (!beans.containsBeanDefinition(name) || beans.containsSingleton(name)) {
                register(beans.getBean(name, ConfigurableTransactionManager.class));
            }
        }
    }

    private void register(ConfigurableTransactionManager manager) {
        TransactionExecutionListener known = listener;
        if (known == null) {
            return;
        }
        synchronized (manager) {
            if (!manager.getTransactionExecutionListeners().contains(known)) {
                // a new list: the application's may be immutable, and a commit may be iterating over it
                List<TransactionExecutionListener> listeners =
                        new ArrayList<>(manager.getTransactionExecutionListeners());
                listeners.add(known);
                manager.setTransactionExecutionListeners(listeners);
            }
        }
    }
}
