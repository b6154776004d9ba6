package io.konduit.queue.build;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Every mutation of scripts/sabotage.sh still changes the file that it is to break. */
@EnabledOnOs(OS.LINUX)
@Timeout(60)
class SabotageTests {
    private static final Path ROOT = BuildFiles.ofRepository().root();

    @TempDir
    Path folder;

    @Test
    void everyMutationChangesItsFile() throws Exception {
        assertThat(check(Files.readString(ROOT.resolve("scripts/sabotage.sh"))))
                .endsWith(" mutations, 0 do not apply\n");
    }

    @Test
    void noticesAMutationThatHasLostItsLine() throws Exception {
        String script = Files.readString(ROOT.resolve("scripts/sabotage.sh"));
        assertThat(check(script.replace("skip locked", "skip nothing")))
                .contains("DOES NOT APPLY: claim waits for locked rows")
                .doesNotContain(" 0 do not apply");
    }

    private String check(String script) throws IOException, InterruptedException {
        Path copy = Files.createDirectory(folder.resolve("scripts")).resolve("sabotage.sh");
        Files.writeString(copy, script.replace("cd \"$(dirname \"$0\")/..\"", "cd \"" + ROOT + "\""));
        Process process = new ProcessBuilder("bash", copy.toString(), "--check")
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        return output;
    }
}
