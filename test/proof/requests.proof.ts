import { it } from 'vitest';
import { prove, seedsLeft } from './progress.ts';
import { stormRequests } from './request-storm.ts';

it.each(seedsLeft('requests', 100))('answers 10,000 mutated requests, and none with a bug, seed %i', (seed) =>
  prove('requests', seed, () => stormRequests(seed, 10_000)),
);
