package io.konduit.queue.host.jpa;

import org.springframework.data.repository.CrudRepository;

/** Found by the application's own repository scan. */
interface AccountRepository extends CrudRepository<Account, Long> {}
