import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { listIn, recordIn, requestsIn } from '../../control/trace/read-trace.ts';
import { type CommandRun, commandHere } from '../../support/command-here.ts';
import { runCommand } from '../../support/run-command.ts';
import { world } from '../../support/world.ts';
import { emptyFolder } from '../spawned-program.ts';

/** A command that sends a chat and prints a line, secrets, and a line without an end. */
const prints =
  (more: { out?: string; end?: string } = {}) =>
  async (run: CommandRun) => {
    const { SHOP_PASSWORD, OPENAI_API_KEY } = run.env;
    await run.chat();
    run.out = `\u001b[32m ✓ begins\u001b[39m 3 ms\nno end of line${more.out ?? ''}`;
    run.err = `the password is ${SHOP_PASSWORD}, the key ${OPENAI_API_KEY}\n`;
    run.end = more.end ?? 'exit 0';
  };

const FAILS = { end: 'exit 3' };
const RED = {
  out: '\n ✕ sells a song 9 ms\n AssertionError: expected 994 to be 997\n   at shop.test.ts:38:2\n',
  end: 'exit 1',
};
const RED_FAILURE = /AssertionError: expected 994 to be 997\n {3}at shop\.test\.ts:38:2[\s\S]*FAILED sells a song/;

const file = () => path.join(emptyFolder(), 'trace.html');
const exec = async (flags: string[], more: Parameters<typeof prints>[0] = {}, env: Record<string, string> = {}) =>
  runCommand(['exec', '--quiet', ...flags, '--', ...(await commandHere(prints(more)))], {
    SHOP_PASSWORD: 'correct horse battery',
    ...env,
  });

it('saves a trace that contains the output and exit code of a run, and masks secrets in the trace', async () => {
  const trace = file();
  const { exitCode, stdout, stderr } = await exec(['--trace', trace], FAILS);
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
  ['saves no trace of a run that succeeds in CI', [], {}, { CI: 'true' }, undefined],
  ['saves no trace of a failed run with --trace-on never', ['--trace-on', 'never'], FAILS, {}, undefined],
  [
    'saves a trace of a run that passes its gates, and names no failure in the trace',
    ['--max-credits', '1'],
    {},
    {},
    null,
  ],
  ['saves a trace of a run that fails in CI, with its failed test and assertion', [], RED, { CI: 'true' }, RED_FAILURE],
  [
    'saves a trace of a run that fails a gate',
    ['--trace-on', 'failure', '--max-credits', '0'],
    {},
    {},
    /^The run cost 1 credit; expected at most 0 \(--max-credits\)\./m,
  ],
])('%s', async (_, flags, more, env, failure) => {
  const trace = file();
  await exec(['--trace', trace, ...flags], more, env);
  expect(existsSync(trace)).toBe(failure !== undefined);
  if (failure === undefined) return;
  const record = recordIn(readFileSync(trace, 'utf8'));
  expect(requestsIn(record)).toHaveLength(1);
  expect(record.head.failure).toEqual(failure && expect.stringMatching(failure));
});

it('saves in the trace a note that the command prints as "::svc note", with its time [I265]', async () => {
  const trace = file();
  await exec(['--trace', trace], { out: '\n\u001b[2m::svc note the second act\u001b[22m\n' });
  const record = recordIn(readFileSync(trace, 'utf8'));
  const notes = listIn(record, 'listRecord');
  expect(notes).toMatchObject([{ kind: 'note', detail: { text: 'the second act' } }]);
  expect(Date.parse(String(notes[0]?.at))).toBeLessThanOrEqual(record.head.span.ended);
});

it('saves the trace of a running emulator', async () => {
  const { url } = await world();
  const trace = file();
  const { exitCode, stdout } = await runCommand(['trace', 'save', trace, '--port', new URL(url).port]);
  expect([exitCode, stdout]).toEqual([0, `wrote ${trace}: open it in a browser\n`]);
  expect(recordIn(readFileSync(trace, 'utf8')).head.title).toBe(url);
});
