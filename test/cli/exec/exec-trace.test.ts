import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { listIn, recordIn, requestsIn } from '../../control/trace/read-trace.ts';
import { runCommand } from '../../support/run-command.ts';
import { world } from '../../support/world.ts';
import { emptyFolder } from '../spawned-program.ts';

const WORK = `
  const { OPENAI_BASE_URL, OPENAI_API_KEY, SHOP_PASSWORD } = process.env;
  console.log('\\u001b[32m ✓ begins\\u001b[39m 3 ms');
  const headers = { authorization: 'Bearer ' + OPENAI_API_KEY, 'content-type': 'application/json' };
  const messages = [{ role: 'user', content: 'Hello' }];
  await fetch(OPENAI_BASE_URL + '/chat/completions', { method: 'POST', headers, body: JSON.stringify({ model: 'svc-rp-mini', messages }) });
  console.error('the password is ' + SHOP_PASSWORD + ', the key ' + OPENAI_API_KEY);
  process.stdout.write('no end of line');
  if (process.argv.includes('fail')) process.exitCode = 3;
  if (process.argv.includes('red')) { console.log('\\n ✕ sells a song 9 ms\\n AssertionError: expected 994 to be 997\\n   at shop.test.ts:38:2'); process.exitCode = 1; }
  if (process.argv.includes('die')) process.kill(process.pid, 'SIGKILL');`;

const file = () => path.join(emptyFolder(), 'trace.html');
const exec = (flags: string[], args: string[] = [], env: Record<string, string> = {}) =>
  runCommand(['exec', '--quiet', ...flags, '--', process.execPath, '--input-type=module', '-e', WORK, ...args], {
    SHOP_PASSWORD: 'correct horse battery',
    ...env,
  });

it('writes the run with its output and exit code, passes the output on, and masks what is secret', async () => {
  const trace = file();
  const { exitCode, stdout, stderr } = await exec(['--trace', trace], ['fail']);
  expect(exitCode).toBe(3);
  expect(stdout).toBe('\u001b[32m ✓ begins\u001b[39m 3 ms\nno end of line');
  expect(stderr).toContain('the password is correct horse battery');
  expect(stderr).toContain(`wrote the trace of this run to ${trace}`);
  const record = recordIn(readFileSync(trace, 'utf8'));
  const { head, output } = record;
  expect(head).toMatchObject({ exit: 3, leftOut: { requests: 0, files: 0 } });
  expect(requestsIn(record).map(({ operation, status }) => [operation, status])).toEqual([
    ['createChatCompletion', 200],
  ]);
  expect(output.map(({ from, text }) => [from, text])).toEqual(
    expect.arrayContaining([
      ['out', '\u001b[32m ✓ begins\u001b[39m 3 ms'],
      ['err', 'the password is …, the key svc_sk_…'],
      ['out', 'no end of line'],
    ]),
  );
  expect(output.every(({ at }) => at >= head.span.began && at <= head.span.ended)).toBe(true);
});

it.each([
  ['of a run that succeeds', [], [], {}, true],
  ['of none that succeeds in CI', [], [], { CI: 'true' }, false],
  ['of one that fails in CI', [], ['fail'], { CI: 'true' }, true],
  ['of one that a gate stops', ['--trace-on', 'failure', '--max-credits', '0'], [], {}, true],
  ['never, where that is asked for', ['--trace-on', 'never'], ['fail'], {}, false],
  ['of a command that was killed', ['--trace-on', 'failure'], ['die'], {}, true],
])('is written %s', async (_, flags, args, env, isThere) => {
  const trace = file();
  await exec(['--trace', trace, ...flags], args, env);
  expect(existsSync(trace)).toBe(isThere);
  if (isThere) expect(requestsIn(recordIn(readFileSync(trace, 'utf8')))).toHaveLength(1);
});

it('keeps a note that the command prints, at its time [I265]', async () => {
  const trace = file();
  const script = `console.log('\\u001b[2m::svc note the second act\\u001b[22m'); ${WORK}`;
  await runCommand(['exec', '--quiet', '--trace', trace, '--', process.execPath, '--input-type=module', '-e', script]);
  const record = recordIn(readFileSync(trace, 'utf8'));
  const notes = listIn(record, '/record');
  expect(notes).toMatchObject([{ kind: 'note', detail: { text: 'the second act' } }]);
  expect(Date.parse(String(notes[0]?.at))).toBeLessThanOrEqual(record.head.span.ended);
});

it('refuses a file without a folder, before anything is run', async () => {
  const { exitCode, stdout, stderr } = await exec(['--trace', '/nowhere/at/all.html']);
  expect([exitCode, stdout]).toEqual([2, '']);
  expect(stderr).toContain('--trace is /nowhere/at/all.html; expected a file in a folder that exists.');
});

it('saves what is on record of an emulator that runs', async () => {
  const { url } = await world();
  const trace = file();
  const { exitCode, stdout } = await runCommand(['trace', 'save', trace, '--port', new URL(url).port]);
  expect([exitCode, stdout]).toEqual([0, `wrote ${trace}: open it in a browser\n`]);
  expect(recordIn(readFileSync(trace, 'utf8')).head.title).toBe(url);
});

it.each([
  ['a gate made the run red', ['--max-credits', '0'], [], 'The run cost 1 credit; expected at most 0 (--max-credits).'],
  ['a signal made the run red', [], ['die'], 'The command was ended by SIGKILL (exit code 137)'],
  ['a test made the run red', [], ['red'], 'FAILED sells a song'],
  ['an assertion failed', [], ['red'], 'AssertionError: expected 994 to be 997\n   at shop.test.ts:38:2'],
  ['nothing did where its gates were passed', ['--max-credits', '1'], [], null],
])('says in the trace that %s', async (_, flags, args, failure) => {
  const trace = file();
  await exec(['--trace', trace, ...flags], args);
  const told = recordIn(readFileSync(trace, 'utf8')).head.failure;
  expect(told).toEqual(failure && expect.stringContaining(failure));
});
