package io.konduit.queue.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.konduit.queue.test.JavaSnippets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page on testing handlers compiles with this module, which the tests of the other pages do not have. */
class TestingPageTests {
    @Test
    void everyBlockCompiles(@TempDir Path classes) {
        JavaSnippets page = JavaSnippets.of(Path.of("..", "docs", "testing-your-handlers.md"));
        assertThat(page.size()).isPositive();
        assertThat(page.errors(classes)).isEmpty();
    }
}
