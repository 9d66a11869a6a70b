import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { type CommandRun, commandHere } from '../../support/command-here.ts';
import { runCommand } from '../../support/run-command.ts';
import { world } from '../../support/world.ts';
import { balance, emptyFolder } from '../spawned-program.ts';

const FAULT = { match: { path: '/v1/music' }, effect: { status: 503 } };
const PLUS = { model: 'svc-rp-plus' };
const UNKNOWN = { model: 'no-such-model' };

async function open(run: CommandRun, name: string): Promise<string> {
  return (await run.call('POST', '/_emulator/accounts', { name, credits: 50 })).body.api_key;
}

/** Sends two chats, a failing image and an unknown model on two accounts, adds an unused rule, and returns the first key. */
async function sells(run: CommandRun, resets = false): Promise<string> {
  const first = await open(run, 'sells a song');
  await run.chat(first, PLUS);
  await run.chat(first, UNKNOWN);
  await run.call('POST', '/v1/images/generations', { prompt: '[[fail]] a barn' }, first);
  await run.call('POST', '/_emulator/faults', FAULT);
  if (resets) await run.call('POST', '/_emulator/reset');
  await run.chat(await open(run, 'says hello'));
  return first;
}

type Work = (run: CommandRun) => Promise<unknown>;

const order = (run: CommandRun, song: object) => run.call('POST', '/v1/music/generations', song);

const endsBy =
  (end: string): Work =>
  async (run) =>
    void Object.assign(run, { end });

/** Uses a new folder, because `exec` names orphaned processes in its folder, and other tests leave such processes. */
const exec = async (flags: readonly string[], work: Work = (run) => sells(run), env: Record<string, string> = {}) =>
  runCommand(['exec', ...flags, '--', ...(await commandHere(work))], env, emptyFolder());

async function reported(flags: readonly string[], work: Work) {
  const json = path.join(emptyFolder(), 'run.json');
  const ended = await exec([...flags, '--report', json], work);
  return { ...ended, report: JSON.parse(readFileSync(json, 'utf8')) };
}

/** Runs `exec --quiet`, by default with a command that does nothing. */
const held = (flags: readonly string[], env: Record<string, string> = {}, work: Work = async () => {}) =>
  exec(['--quiet', ...flags], work, env);

it('reports unused operations, error codes, event types and job states, and counts the state in an event as used', async () => {
  const { report } = await reported(['--quiet'], async (run) => {
    await order(run, { prompt: 'a waltz', seconds: 30, n: 1 });
    await order(run, {});
  });
  const { untouched } = report;
  expect(untouched.operations).toContain('getSong');
  expect(untouched.operations).not.toContain('createSong');
  expect(untouched.error_codes).toContain('insufficient_credits');
  expect(untouched.error_codes).not.toContain('invalid_request');
  expect(untouched.event_types).not.toContain('music.generation.succeeded');
  expect(untouched.job_states).toEqual(['processing', 'failed']);
});

it('says how many paid jobs succeeded without anybody reading their results, and what they cost', async () => {
  const { exitCode, stderr, report } = await reported(['--fail-on-verdict'], async (run) => {
    await run.call('PUT', '/_emulator/progression', { mode: 'seconds', value: 2 });
    const { body } = await order(run, { prompt: 'a waltz', seconds: 30, n: 2 });
    for (const { id } of body.data) await run.call('GET', `/v1/music/generations/${id}`);
  });
  expect(stderr).toContain('\n2 paid jobs (6 credits) succeeded and nobody collected them\n');
  expect(stderr).toMatch(/^ {2}uncollected_job: job_\w+ succeeded and cost 3 credits, and nobody collected it/m);
  expect(exitCode).toBe(1);
  expect(report).toMatchObject({ uncollected: { jobs: 2, credits: 6 } });
});

it('prints the cost of a run, writes it as JSON and JUnit, and compares it with a baseline', async () => {
  const folder = emptyFolder();
  const [json, xml] = [path.join(folder, 'spend.json'), path.join(folder, 'spend.xml')];
  const first = await exec(['--report', json, '--report', xml, '--baseline', json]);
  expect([first.exitCode, first.stdout]).toEqual([0, '']);
  expect(first.stderr).toMatch(/^The run made 4 requests and cost 4 credits \(3 charges, 1 refund\)\.$/m);
  expect(first.stderr).toMatch(/^Fault rules that were never applied:\n {2}\S+ \{"path":"\/v1\/music"\} -> /m);
  expect(first.stderr).toContain(`There is no baseline ${json} yet; --update-baseline writes it.`);
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

  expect((await exec(['--baseline', json])).stderr).toContain('Cost matches the baseline.');
  report.credits -= 3;
  report.by_work.splice(1, 1);
  writeFileSync(json, JSON.stringify(report));
  expect((await exec(['--baseline', json])).stderr).toContain(
    'Against the baseline:\n  in all: 1 -> 4 credits (+3)\n  chat.completion svc-rp-plus: 0 -> 3 credits (+3)\n',
  );
});

it('reports the same failures in text, Markdown and JSON, and the failed command and gate in JUnit and annotations too [I149]', async () => {
  const folder = emptyFolder();
  const [json, xml, page] = [path.join(folder, 'run.json'), path.join(folder, 'run.xml'), path.join(folder, 'run.md')];
  const [trace, kept] = [path.join(folder, 'trace.html'), path.join(folder, 'world')];
  const reports = ['--report', json, '--report', xml, '--summary', page, '--trace', trace, '--keep', kept];
  const fails: Work = async (run) => {
    await run.chat(await sells(run), UNKNOWN);
    await endsBy('exit 3')(run);
  };
  const { exitCode, stderr } = await exec([...reports, '--max-credits', '3'], fails, { GITHUB_ACTIONS: 'true' });
  expect(exitCode).toBe(3);
  const report = JSON.parse(readFileSync(json, 'utf8'));
  expect(report).toMatchObject({
    exit_code: 3,
    gates: [{ name: 'max-credits', complaint: 'The run cost 4 credits; expected at most 3 (--max-credits).' }],
    failures: { tests: [], left: 0 },
    baseline: null,
    hint: `${trace} shows the whole run, to continue from this state, run svc-emulator start --data-dir ${kept}`,
  });
  const [{ complaint }] = report.gates;
  const { others, asked } = report.failures;
  expect([others.length, asked.length]).toEqual([1, 2]);
  expect(others[0]).toMatch(
    /^POST \/v1\/chat\/completions -> 404 model_not_found \(choice C022\): .* \(req_\w+ by acct_\w+\), the last of 2$/,
  );
  expect(stderr.split('\n').filter((line) => line.startsWith('::error'))).toEqual([
    ...['The command failed with exit code 3.', complaint].map((text) => `::error title=svc-emulator::${text}`),
  ]);
  const [markdown, junit] = [readFileSync(page, 'utf8'), readFileSync(xml, 'utf8')];
  for (const line of [complaint, ...others, ...asked, report.hint]) {
    expect(stderr).toContain(line);
    expect(markdown).toContain(line);
  }
  expect(junit).toContain(`message="${complaint}"`);
  expect(junit).toContain('ended with exit code 3.');
  for (const { operation, credits } of report.by_work)
    expect(markdown).toMatch(new RegExp(`${operation}.* ${credits} `));
});

const chats =
  (path: string): Work =>
  (run) =>
    run.call('POST', path, { model: 'svc-rp-mini', messages: [{ role: 'user', content: 'Hello.' }] });

it('fails in CI if the suite never reached the service, or every request lacked /v1 [I236]', async () => {
  const silent = await held([], { CI: 'true' });
  expect(silent.stderr).toMatch(
    /^svc-emulator: gate failed: The run made 0 requests to the service; expected at least 1\. Make .*; --min-requests 0 allows it\.\n$/,
  );
  expect(silent.exitCode).toBe(1);
  const astray = await held([], { CI: 'true' }, chats('/v1/v1/chat/completions'));
  expect(astray.stderr).toContain(
    '1 request matched no endpoint; the response was: There is no /v1/v1/chat/completions. ',
  );
  expect(astray.exitCode).toBe(1);
  const xml = path.join(emptyFolder(), 'spend.xml');
  const without = await held(['--report', xml], { CI: 'true' }, chats('/chat/completions'));
  expect(without.stderr).toMatch(
    /^svc-emulator: gate failed: The run made 0 requests to the service; expected at least 1\. 1 request matched no endpoint; the response was: There is no \/chat\/completions\. The path lacks its prefix: use \/v1\/chat\/completions .* OPENAI_BASE_URL, which ends in \/v1/,
  );
  expect(without.exitCode).toBe(1);
  expect(readFileSync(xml, 'utf8')).toMatch(/name="--min-requests">\n\s*<failure message="[^"]*lacks its prefix/);
  expect((await held(['--min-requests', '0'], { CI: 'true' })).exitCode).toBe(0);
});

it.each([
  ['a field', 400, undefined],
  ['its key', 401, 'svc_sk_nobodynobody'],
])('counts a request that was rejected for %s as a request for its operation in CI [I236]', async (_, status, key) => {
  const { exitCode, stderr } = await held([], { CI: 'true' }, async (run) => {
    const sent = await run.call('POST', '/v1/chat/completions', { model: 'svc-rp-mini' }, key);
    expect(sent.status).toBe(status);
  });
  expect([exitCode, stderr]).toEqual([0, '']);
});

it('fails a passing run with --fail-on-verdict for a finding that --allow does not name, and with --fail-on-unused-fault for an unused fault rule [I236]', async () => {
  const again: Work = async (run) => {
    const lost = { match: { path: '/v1/chat' }, effect: { lost_response: true }, times: 1 };
    await run.call('POST', '/_emulator/faults', lost);
    await run.chat().catch(() => run.chat());
    await run.call('POST', '/_emulator/faults', FAULT);
  };
  const gates = ['--fail-on-verdict', '--allow', 'paid_twice', '--fail-on-unused-fault'];
  const blamed = await held(gates, {}, again);
  expect(blamed.stderr).toMatch(
    /^svc-emulator: gate failed: The verdict has 1 finding \(--fail-on-verdict\): paid_again: .* \(choice C008\) .*--allow/m,
  );
  expect(blamed.stderr).toMatch(/^gate failed: 1 fault rule never applied \(--fail-on-unused-fault\), such as flt_/m);
  expect(blamed.exitCode).toBe(1);
  expect((await held([], {}, again)).exitCode).toBe(0);
  const allowed = await held(['--fail-on-verdict', '--allow', 'paid_twice', '--allow', 'paid_again'], {}, again);
  expect([allowed.exitCode, allowed.stderr]).toEqual([0, '']);
  expect((await held(gates, {}, chats('/v1/chat/completions'))).exitCode).toBe(0);
});

it('fails a run whose required baseline is missing, and one that costs too much more than its baseline [I236]', async () => {
  const folder = emptyFolder();
  const [json, xml] = [path.join(folder, 'spend.json'), path.join(folder, 'spend.xml')];
  const without = await exec(['--quiet', '--baseline', json, '--require-baseline', '--report', json]);
  expect(without.exitCode).toBe(1);
  const baseline = JSON.parse(readFileSync(json, 'utf8'));
  writeFileSync(json, JSON.stringify({ ...baseline, credits: 3 }));
  const over = await exec(['--quiet', '--baseline', json, '--max-increase', '10%', '--report', xml]);
  expect(over.stderr).toBe(
    "svc-emulator: gate failed: The run cost 4 credits, 33.3% more than the baseline's 3; expected at most 10% more (--max-increase).\n",
  );
  expect(over.exitCode).toBe(1);
  const junit = readFileSync(xml, 'utf8');
  expect(junit).toContain('<testsuite name="run" tests="3" failures="1" skipped="0" errors="0">');
  expect(junit).toMatch(
    /<testcase classname="run" name="--max-increase">\n\s*<failure message="The run cost 4 credits, /,
  );
  const limits = ['--max-increase', '34%', '--require-baseline', '--max-credits', '4'];
  const within = await exec(['--quiet', '--baseline', json, ...limits]);
  expect([within.exitCode, within.stderr]).toEqual([0, '']);
});

it('rewrites the baseline with --update-baseline, but not after a failed run', async () => {
  const baseline = path.join(emptyFolder(), 'spend.json');
  const update = ['--quiet', '--baseline', baseline, '--update-baseline'];
  const written = await exec([...update.slice(1), '--require-baseline']);
  expect([written.exitCode, written.stderr]).toEqual([0, expect.not.stringContaining('no baseline')]);
  const first = readFileSync(baseline, 'utf8');
  expect(JSON.parse(first).credits).toBe(4);
  expect((await held(update, {}, endsBy('exit 3'))).exitCode).toBe(3);
  expect((await exec([...update, '--max-credits', '1'])).exitCode).toBe(1);
  expect(readFileSync(baseline, 'utf8')).toBe(first);
  expect((await held([...update, '--max-increase', '0%'])).exitCode).toBe(0);
  expect(JSON.parse(readFileSync(baseline, 'utf8')).credits).toBe(0);
});

it('lists failures after a failed command in at most 17 lines, includes those before a reset, and reports them to CI [I149]', async () => {
  const many: Work = async (run) => {
    const first = await sells(run, true);
    for (let i = 0; i < 30; i += 1) await run.chat(first, UNKNOWN);
    const lone = await open(run, 'asks for much');
    for (let i = 0; i < 30; i += 1) await run.call('POST', `/v1/chat/completions/${i}`, {}, lone);
    await run.call('POST', '/chat/completions');
    run.end = 'exit 3';
  };
  const summary = path.join(emptyFolder(), 'summary.md');
  const env = { GITHUB_STEP_SUMMARY: summary, GITHUB_ACTIONS: 'true' };
  const { exitCode, stderr } = await exec([], many, env);
  expect(exitCode).toBe(3);
  const [, told = ''] = /^Failures of this run:\n((?: {2}.*\n)+)/m.exec(stderr) ?? [];
  const lines = told.trimEnd().split('\n');
  expect(lines).toHaveLength(17);
  expect(told).toMatch(
    /^ {2}POST \/chat\/completions -> 404 not_found \(choice C025\): There is no .* lacks its prefix.* \(req_\w+ by acct_\w+\)$/m,
  );
  const [, asked = ''] = /^Failures that the tests asked for, .*:\n((?: {2}.*\n)+)/m.exec(stderr) ?? [];
  expect(asked).toMatch(/^ {2}job of svc-image-one failed: render_failed: .* \(job_\w+ of acct_\w+\)$/m);
  expect(told).not.toContain('render_failed');
  expect(stderr.indexOf(told)).toBeLessThan(stderr.indexOf(asked));
  expect(stderr).not.toMatch(/^::notice .*render_failed/m);
  expect(lines.at(-1)).toMatch(/^ {2}… and \d+ more; --trace FILE shows the whole run, --keep FOLDER keeps it/);
  expect(stderr).toMatch(/^::notice title=svc-emulator::POST \/v1\/chat/m);
  const markdown = readFileSync(summary, 'utf8');
  expect(markdown).toContain('65 requests, **4 credits**, 1 refund.');
  expect(markdown).toContain('| chat.completion svc-rp-plus | 1 | 0 | 3 |');
});

it('names the signal that ended a command as the first failure of a run, with the usual cause of this signal [I149]', async () => {
  const { exitCode, stderr } = await exec([], endsBy('kill -KILL $$'), { GITHUB_ACTIONS: 'true' });
  expect(exitCode).toBe(137);
  expect(stderr).toMatch(
    /^Failures of this run:\n {2}The command was ended by SIGKILL \(exit code 137\): often .*memory/m,
  );
  expect(stderr).toMatch(/^::error title=svc-emulator::The command was ended by SIGKILL/m);
});

it('saves the state of a run in the folder of --keep for a later start, and rejects a folder that is not empty', async () => {
  const folder = path.join(emptyFolder(), 'world');
  expect((await held(['--keep', folder], {}, chats('/v1/chat/completions'))).exitCode).toBe(0);
  const { url } = await world({ ephemeral: false, dataDir: folder });
  expect(await balance(url)).toBe(99_999);
  const again = await held(['--keep', folder]);
  expect(again.stderr).toMatch(
    /^svc-emulator: --keep is .*, which is not empty; expected a folder that is new or empty\.\n$/,
  );
  expect(again.exitCode).toBe(2);
});

it('ends jobs that nobody polls, and waits for their end before it reports the cost [I236]', async () => {
  const song = { prompt: 'a waltz [[fail:take=2]]', seconds: 30, n: 2 };
  const { report } = await reported(['--quiet'], (run) => order(run, song));
  expect(report).toMatchObject({ charges: 2, refunds: 1, credits: 3, unsettled: null });
});
