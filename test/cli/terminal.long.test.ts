import { it } from 'vitest';
import { STARTS, stopEphemeral, stopWithFolder } from './stopped-in-terminal.ts';

const ROUNDS = STARTS.flatMap((start) => Array.from({ length: 10 }, (_, round) => ({ ...start, round: round + 1 })));
const LIMIT = { timeout: 60_000 };

it.each(ROUNDS)('leaves nothing of a song behind: $how --ephemeral, round $round [I150 I203]', LIMIT, (start) =>
  stopEphemeral(start),
);

it.each(ROUNDS)('finishes the song that was cut: $how, round $round [I150 I203]', LIMIT, (start) =>
  stopWithFolder(start),
);
