package io.konduit.queue.sample;

import java.io.IOException;
import java.util.Map;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** {@code POST /second-worker/start} and {@code POST /second-worker/kill}. */
@RestController
class SecondWorkerController {
    private final SecondWorker worker;

    SecondWorkerController(SecondWorker worker) {
        this.worker = worker;
    }

    @PostMapping("/second-worker/start")
    Map<String, Object> start() throws IOException {
        return Map.of("process", worker.start(), "watch", "/konduit/#/workers: it registers within some seconds.");
    }

    @PostMapping("/second-worker/kill")
    Map<String, Object> kill() {
        return worker.kill()
                ? Map.of(
                        "killed",
                        true,
                        "watch",
                        "/konduit/#/incidents: imports run again within seconds. /konduit/#/review: payments wait for you.")
                : Map.of("killed", false, "watch", "Start it first.");
    }
}
