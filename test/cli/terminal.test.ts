import { it } from 'vitest';
import { STARTS, stopEphemeral, stopWithFolder } from './stopped-in-terminal.ts';

/** One of each; both by ten rounds are in the long run. */
const [PROGRAM, NPM] = [STARTS.slice(0, 1), STARTS.slice(1)];
const LIMIT = { timeout: 60_000 };

it.each(PROGRAM)('leaves nothing behind when Ctrl-C ends $how --ephemeral amid a song [I150 I203]', LIMIT, (start) =>
  stopEphemeral(start),
);

it.each(NPM)('finishes the song that Ctrl-C cut in $how, and refunds nothing [I150 I203]', LIMIT, (start) =>
  stopWithFolder(start),
);
