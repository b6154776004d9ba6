package io.konduit.queue.autoconfigure;

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
 * Has every transaction manager ask the fence before it commits, once: those that are there when the application has
 * been set up, and those that are made later. The fence answers only inside handlers.
 */
final class LeaseFenceRegistrar implements BeanPostProcessor, SmartInitializingSingleton {
    private static final Logger log = LoggerFactory.getLogger(LeaseFenceRegistrar.class);

    private final ConfigurableListableBeanFactory beans;
    private volatile @Nullable LeaseFence fence;

    LeaseFenceRegistrar(ConfigurableListableBeanFactory beans) {
        this.beans = beans;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        if (bean instanceof ConfigurableTransactionManager manager) {
            register(manager);
        } else if (bean instanceof PlatformTransactionManager) {
            log.warn(
                    "Transaction manager '{}' ({}) takes no listeners: what it commits inside a handler is not checked for a lost lease",
                    name,
                    bean.getClass().getName());
        }
        return bean;
    }

    /** The fence needs the database, so it is not asked for before everything else is there. */
    @Override
    public void afterSingletonsInstantiated() {
        fence = beans.getBean(LeaseFence.class);
        for (String name : BeanFactoryUtils.beanNamesForTypeIncludingAncestors(
                beans, ConfigurableTransactionManager.class, true, false)) {
            if (!beans.containsBeanDefinition(name) || beans.containsSingleton(name)) {
                register(beans.getBean(name, ConfigurableTransactionManager.class));
            }
        }
    }

    private void register(ConfigurableTransactionManager manager) {
        LeaseFence known = fence;
        if (known == null) {
            return;
        }
        synchronized (manager) {
            if (!manager.getTransactionExecutionListeners().contains(known)) {
                // a new list: the application's may be fixed, and a commit may be going through it
                List<TransactionExecutionListener> listeners =
                        new ArrayList<>(manager.getTransactionExecutionListeners());
                listeners.add(known);
                manager.setTransactionExecutionListeners(listeners);
            }
        }
    }
}
