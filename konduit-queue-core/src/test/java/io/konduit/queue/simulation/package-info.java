/**
 * A deterministic simulation of the real code: several instances on one real database in virtual time, with every fault
 * drawn from a seed.
 */
package io.konduit.queue.simulation;
