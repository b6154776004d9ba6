package io.konduit.queue.testing;

import java.lang.reflect.Modifier;
import java.sql.Connection;
import java.util.Arrays;
import javax.sql.DataSource;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

/** Watches the connections of the application's data sources while a test of crashes runs, and only then. */
final class WatchedDataSources implements BeanPostProcessor {

    private static final class Watch implements MethodInterceptor {
        @Override
        public @Nullable Object invoke(MethodInvocation call) throws Throwable {
            Life life = CrashGate.life();
            if (life == null || !call.getMethod().getName().equals("getConnection")) {
                return call.proceed();
            }
            life.requireAlive();
            Object connection = call.proceed();
            return connection instanceof Connection opened
                    ? WatchedConnection.watch(opened, call.getThis(), life)
                    : connection;
        }
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        boolean pools = bean instanceof DataSource
                // the pool behind these is watched
                && !(bean instanceof DelegatingDataSource)
                && !(bean instanceof AbstractRoutingDataSource);
        if (!pools || isWatched(bean)) {
            return bean;
        }
        ProxyFactory factory = new ProxyFactory(bean);
        // a HikariDataSource stays one
        factory.setProxyTargetClass(!Modifier.isFinal(bean.getClass().getModifiers()));
        factory.addAdvice(new Watch());
        return factory.getProxy(bean.getClass().getClassLoader());
    }

    static boolean isWatched(Object dataSource) {
        return dataSource instanceof Advised advised
                && Arrays.stream(advised.getAdvisors()).anyMatch(advisor -> advisor.getAdvice() instanceof Watch);
    }
}
