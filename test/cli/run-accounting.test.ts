import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { emptyFolder, runToEnd } from './spawned-program.ts';

/** Two chats, a picture that fails, a wrong model, a rule that never strikes, on accounts of two names. */
const WORK = `
  const { SVC_BASE_URL } = process.env;
  const send = async (path, body, key) => {
    const headers = { 'content-type': 'application/json', ...(key ? { authorization: 'Bearer ' + key } : {}) };
    const answer = await fetch(SVC_BASE_URL + path, { method: 'POST', headers, body: JSON.stringify(body) });
    return answer.status === 204 ? undefined : answer.json();
  };
  const chat = (key, model = 'svc-rp-plus') =>
    send('/v1/chat/completions', { model, messages: [{ role: 'user', content: 'Hello.' }] }, key);
  const open = async (name) => (await send('/_emulator/accounts', { name, credits: 50 })).api_key;
  const first = await open('sells a song');
  await chat(first);
  await chat(first, 'no-such-model');
  await send('/v1/images/generations', { prompt: '[[fail]] a barn' }, first);
  await send('/_emulator/faults', { match: { path: '/v1/music' }, effect: { status: 503 } });
  if (process.argv.includes('reset')) await send('/_emulator/reset', undefined);
  await chat(await open('says hello'), 'svc-rp-mini');`;

const exec = (flags: string[], ...args: string[]) =>
  runToEnd([...['exec', ...flags, '--', process.execPath, '--input-type=module', '-e', WORK, ...args]]);

it('tells at the end what a run cost, which rules never struck and what it never touched', async () => {
  const { exitCode, stdout, stderr } = await exec([]);
  expect(exitCode).toBe(0);
  expect(stdout).toBe('');
  expect(stderr).toMatch(/^The run made 4 requests and cost 4 credits \(3 charges, 1 refund\)\.$/m);
  expect(stderr).toMatch(/^Fault rules that never struck:\n {2}\S+ \{"path":"\/v1\/music"\} -> /m);
  const untouched = (what: string) => new RegExp(`^  ${what}: (.*)$`, 'm').exec(stderr)?.[1];
  expect(untouched('operations')?.split(', ')).toContain('createSong');
  expect(untouched('operations')).not.toMatch(/createChatCompletion|createImage/);
  expect(untouched('error codes')?.split(', ')).toContain('insufficient_credits');
  expect(untouched('error codes')).not.toMatch(/model_not_found|render_failed/);
  expect(untouched('event types')).not.toContain('image.generation.failed');
  expect(untouched('job states')).toBe('queued, processing, succeeded, failed');
});

it('says nothing of it with --quiet, and that nobody asked where nobody did', async () => {
  expect((await exec(['--quiet'])).stderr).toBe('');
  const idle = await runToEnd(['exec', '--', process.execPath, '-e', '0']);
  expect(idle.stderr).toBe('The run made no request to the service.\n');
});

it('fails a run that costs more than it may, and none that costs just that', async () => {
  const over = await exec(['--quiet', '--max-credits', '3']);
  expect(over.stderr).toBe('svc-emulator: The run cost 4 credits; expected at most 3 (--max-credits).\n');
  expect(over.exitCode).toBe(1);
  expect((await exec(['--quiet', '--max-credits', '4'])).exitCode).toBe(0);
});

it('counts over a reset, which forgets the ledger but not what the run has spent', async () => {
  expect((await exec([], 'reset')).stderr).toMatch(/cost 4 credits \(3 charges, 1 refund\)/);
});

it('writes spend by work and account as JSON and as JUnit properties, and compares with a baseline', async () => {
  const folder = emptyFolder();
  const [json, xml] = [path.join(folder, 'spend.json'), path.join(folder, 'spend.xml')];
  const first = await exec(['--report', json, '--report', xml, '--baseline', json]);
  expect(first.stderr).toContain(`There is no baseline ${json} yet; --report writes one.`);
  const report = JSON.parse(readFileSync(json, 'utf8'));
  expect(report).toMatchObject({
    ...{ object: 'run_report', requests: 4, charges: 3, refunds: 1, credits: 4 },
    by_work: [
      { operation: 'chat.completion', model: 'svc-rp-mini', charges: 1, refunds: 0, credits: 1 },
      { operation: 'chat.completion', model: 'svc-rp-plus', charges: 1, refunds: 0, credits: 3 },
      { operation: 'image.generation', charges: 1, refunds: 1, credits: 0 },
    ],
    by_account: [
      { account: 'says hello', credits: 1 },
      { account: 'sells a song', charges: 2, refunds: 1, credits: 3 },
    ],
  });
  const junit = readFileSync(xml, 'utf8');
  expect(junit).toContain('<property name="credits chat.completion svc-rp-plus" value="3"/>');
  expect(junit).toContain('<testcase classname="spend" name="sells a song">');

  expect((await exec(['--baseline', json])).stderr).toContain('It cost what the baseline says.');
  report.credits -= 3;
  report.by_work.splice(1, 1);
  writeFileSync(json, JSON.stringify(report));
  expect((await exec(['--baseline', json])).stderr).toContain(
    'Against the baseline:\n  in all: 1 -> 4 credits (+3)\n  chat.completion svc-rp-plus: 0 -> 3 credits (+3)\n',
  );
});

it.each([
  ['a number that is none', ['--max-credits', '3.5'], /--max-credits.*whole number of credits/],
  ['a report without a folder', ['--report', '/no/such/spend.json'], /--report is \/no\/such/],
  ['a baseline that is no report', ['--baseline', 'package.json'], /--baseline is package.json/],
])('refuses %s before the command runs', async (_, flags, complaint) => {
  const { exitCode, stderr } = await exec(flags);
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(complaint);
});
