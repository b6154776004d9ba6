package io.konduit.queue.host.datajdbc;

import org.springframework.data.annotation.Id;
import org.springframework.data.relational.core.mapping.Table;

/** An aggregate of the application. */
@Table("account")
record Customer(@Id Long id, String owner) {}
