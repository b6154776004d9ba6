package io.konduit.queue.autoconfigure;

import io.konduit.queue.engine.Replacements;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;

/**
 * S4: if the application has a bean for a part, the queue does not create that part, and every other part uses that
 * bean.
 */
record BeanReplacements(ListableBeanFactory beans) implements Replacements {
    /** The name prefix of all beans of this starter. */
    private static final String OWN = "konduit";

    @Override
    public <T> @Nullable T find(Class<T> part) {
        boolean replaced = Arrays.stream(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, part, true, false))
                .anyMatch(name -> !name.startsWith(OWN));
        return replaced ? beans.getBeanProvider(part).getIfUnique() : null;
    }
}
