package io.konduit.queue.sample;

import java.util.List;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** {@code POST /payments?order=7&cents=1990}; {@code GET /payments} asks the provider what it has charged. */
@RestController
class PaymentController {
    private static final int MAX_SECONDS = 600;

    private final PaymentService payments;
    private final PaymentProvider provider;

    PaymentController(PaymentService payments, PaymentProvider provider) {
        this.payments = payments;
        this.provider = provider;
    }

    @PostMapping("/payments")
    @ResponseStatus(HttpStatus.ACCEPTED)
    EnqueuedTask pay(
            @RequestParam long order,
            @RequestParam(defaultValue = "1990") int cents,
            @RequestParam(defaultValue = "0") int seconds) {
        if (seconds < 0 || seconds > MAX_SECONDS) {
            throw new ResponseStatusException(
                    HttpStatus.BAD_REQUEST,
                    "seconds must be between 0 and " + MAX_SECONDS + " but is " + seconds + ".");
        }
        return EnqueuedTask.of(payments.pay(new PaymentJobs.Payment(order, cents, seconds)));
    }

    @GetMapping("/payments")
    List<PaymentProvider.Charge> charged() {
        return provider.charges();
    }
}
