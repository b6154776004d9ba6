package io.konduit.queue.host.datajdbc;

import org.springframework.data.repository.ListCrudRepository;

/** Found by the application's own repository scan. */
interface CustomerRepository extends ListCrudRepository<Customer, Long> {}
