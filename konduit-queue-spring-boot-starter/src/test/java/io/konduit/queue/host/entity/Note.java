package io.konduit.queue.host.entity;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.PostPersist;
import jakarta.persistence.Table;

/** An entity that tells the application when it is written, as an entity listener does. */
@Entity
@Table(name = "account")
class Note {
    static volatile Runnable whenWritten = () -> {};

    @Id
    private long id;

    private String owner;

    protected Note() {}

    Note(long id, String owner) {
        this.id = id;
        this.owner = owner;
    }

    @PostPersist
    void written() {
        whenWritten.run();
    }
}
