import { it } from 'vitest';
import { endLives } from './lives.ts';
import { prove, seedsLeft } from './progress.ts';

it.each(seedsLeft('kill', 100))('holds all it had promised through ten kills in a row, seed %i', (seed) =>
  prove('kill', seed, () => endLives(seed, { lives: 10, signal: 'SIGKILL' })),
);

it.each(seedsLeft('stop', 30))('finishes or keeps everything through five stops in a row, seed %i', (seed) =>
  prove('stop', seed, () => endLives(seed, { lives: 5, signal: 'SIGTERM' })),
);
