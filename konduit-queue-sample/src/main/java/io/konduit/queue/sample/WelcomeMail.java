package io.konduit.queue.sample;

/** A payload: any type that Jackson can write and read. A record is the easiest. */
record WelcomeMail(long customer, String to) {}
