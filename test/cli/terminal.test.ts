import { it } from 'vitest';
import { STARTS, stopEphemeral, stopWithFolder } from './stopped-in-terminal.ts';

const LIMIT = { timeout: 60_000 };

it.each(STARTS)('leaves nothing behind when Ctrl-C ends $how --ephemeral amid a song [I150 I203]', LIMIT, (start) =>
  stopEphemeral(start),
);

it.each(STARTS)('finishes the song that Ctrl-C cut in $how, and refunds nothing [I150 I203]', LIMIT, (start) =>
  stopWithFolder(start),
);
