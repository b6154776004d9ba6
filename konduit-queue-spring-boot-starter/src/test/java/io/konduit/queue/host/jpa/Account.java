package io.konduit.queue.host.jpa;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/** An entity of the application. */
@Entity
class Account {
    @Id
    private long id;

    private String owner;

    protected Account() {}

    Account(long id, String owner) {
        this.id = id;
        this.owner = owner;
    }
}
