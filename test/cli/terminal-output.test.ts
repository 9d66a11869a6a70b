import { expect, it } from 'vitest';
import { runCommand } from '../support/run-command.ts';
import { CHAT } from '../support/wire.ts';
import { world } from '../support/world.ts';

/** Text that clears a screen, rings, begins a C1 escape, and reverses and isolates the text after it. */
const HOSTILE = 'a\u001b[2J\u0007\u009b31m\u202egnp.exe\u2066b';
const CARRIED_OUT = /(?![\n\t])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u;

it('prints control characters of a response as JSON escapes', async () => {
  const here = await world({ credits: 100 });
  const run = (...line: string[]) => runCommand(['call', ...line, '--port', new URL(here.url).port]);
  await run('createAccount', 'name=a\u202egnp.exe\u2066b');
  const account = await here.first();
  const sent = await account.post('/chat/completions', { ...CHAT, model: '\u202eledom\u001b[2J\u0007' });
  const asked = await here.call('GET', '/v1/models/\u001b[2J%1b[2J');
  const listed = await run('listAccounts');
  expect(listed.stdout).toContain('a\\u202egnp.exe\\u2066b');
  expect(JSON.parse(listed.stdout).data[0].name).toBe('a\u202egnp.exe\u2066b');
  const explained = await run('explainRequest', `id=${sent.headers.get('x-request-id')}`);
  expect(explained.stdout).toContain('\\u202eledom');
  const path = await run('explainRequest', `id=${asked.headers.get('x-request-id')}`);
  for (const { stdout } of [listed, explained, path]) expect(stdout).not.toMatch(CARRIED_OUT);
});

it('prints control characters of an unknown command, a file and a flag as escapes', async () => {
  const lines = [[HOSTILE], ['start', `--${HOSTILE}`], ['check', 'merge', HOSTILE], ['exec', '--', HOSTILE]];
  for (const line of lines) {
    const { stderr, exitCode } = await runCommand(line);
    expect([2, 127], stderr).toContain(exitCode);
    expect(stderr).toContain('\\u202egnp.exe');
    expect(stderr).not.toMatch(CARRIED_OUT);
  }
});
