package io.konduit.queue.worker;

import io.konduit.queue.settings.WitnessSettings;
import io.konduit.queue.store.WitnessRepository;

/** What a worker needs to have a witness. */
public record WitnessParts(WitnessSettings settings, WitnessRepository store) {}
