import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it, vi } from 'vitest';
import type { CheckReport } from '../../../src/check/report.ts';
import { idsIn, SMALL_CLIENT, SMALL_HEAD, SMALL_TESTS } from '../../check/checked-suite.ts';
import { runCommand } from '../../support/run-command.ts';
import { folderOf, SpawnedProgram } from '../spawned-program.ts';

/** Asks for one chat, and reads every number of its answer. What LOST, REFUSED and WAIT say makes it right or wrong. */
const CLIENT = `${SMALL_HEAD}
const again = { status: 500, headers: {} };
let answer;
for (let turn = 0; turn < 4; turn += 1) {
  answer = await chat().catch(() => LOST);
  if (!answer || answer.status < 400 || REFUSED) break;
  await new Promise((resolve) => setTimeout(resolve, WAIT));
}
EXPECTED
`;
const STRONG = `assert.notEqual(answer?.status, 500, 'it went on failing');
if (answer?.status === 200) assert.deepEqual(answer.body.usage, { credits_spent: 1, credits_remaining: 99_999 });`;
const RIGHT = {
  LOST: 'undefined',
  REFUSED: 'answer.status === 402',
  WAIT: "1000 * Number(answer.headers['retry-after'] ?? 0) + 60",
  EXPECTED: STRONG,
};

function client(wrong: Partial<typeof RIGHT> = {}): string {
  const words = { ...RIGHT, ...wrong };
  return Object.entries(words).reduce((text, [name, value]) => text.replace(name, () => value), CLIENT);
}

function suite(text: string): string {
  return folderOf({ ...SMALL_CLIENT, 'suite.mjs': text });
}

const COMMAND = ['--', 'node', 'suite.mjs'];

async function checked(folder: string, args: readonly string[], command: readonly string[] = COMMAND) {
  const line = ['check', ...args, '--report', 'found.json', ...command];
  const ended = await runCommand(line, { FORCE_COLOR: '0' }, folder);
  return { ...ended, report: reportIn(folder) };
}

function reportIn(folder: string, name = 'found.json'): CheckReport {
  return JSON.parse(readFileSync(path.join(folder, name), 'utf8'));
}

// Each checks a command many times, on a machine that may be busy.
vi.setConfig({ testTimeout: 240_000 });

const ALL = ['--budget', '0', '--jobs', '2'];

it.each([
  ['pays again after a lost response', { LOST: 'again' }, 'lost_response', 'pays-once'],
  ['asks again after a 402', { REFUSED: 'false', WAIT: '60' }, 'empty_balance', 'stops-without-credits'],
  ['asks again at once after a 429', { WAIT: '1' }, 'status:429', 'honours-retry-after'],
])('fails the one check of a client that %s', async (_title, wrong, only, id) => {
  const folder = suite(client(wrong));
  const { exitCode, stdout, report } = await checked(folder, [...ALL, '--only', only]);
  expect([exitCode, idsIn(report, 'failed')]).toEqual([1, [id]]);
  const [finding] = report.findings;
  const token = finding?.token ?? '-';
  expect(finding).toMatchObject({ kind: 'fault', check: id, state: 'new', replay: expect.stringContaining(token) });
  expect(report.checks.find((check) => check.id === id)?.findings).toEqual(report.findings.map((each) => each.token));
  expect(stdout).toMatch(new RegExp(`^FAILED ${id}$`, 'm'));
  expect(stdout).toContain(`    Replay: ${finding?.replay}`);
  expect(stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(40);
});

/** Orders a song and waits for all its events; a type that it does not know ends it. */
const RECEIVER = `${SMALL_HEAD}
import { createServer } from 'node:http';
const known = 'music.generation.succeeded';
let done; const came = new Promise((resolve) => (done = resolve));
const server = createServer(async (request, response) => {
  assert.equal(JSON.parse((await request.toArray()).join('')).type, known);
  response.writeHead(204).end(done);
}).listen(0, '127.0.0.1');
await new Promise((listening) => server.once('listening', listening));
await call('POST', '/v1/webhooks', { url: 'http://127.0.0.1:' + server.address().port, events: [known] });
await call('POST', '/v1/music/generations', { prompt: 'A lantern' });
await came;
await call('GET', '/_emulator/wait?for=idle');
server.close();
server.closeAllConnections();
`;

it('fails tolerates-changes alone by an event of a type that the receiver does not know', async () => {
  const { exitCode, report } = await checked(suite(RECEIVER), [...ALL, '--only', 'unknown_type']);
  expect(report.findings).toMatchObject([{ kind: 'fault', check: 'tolerates-changes' }]);
  expect([exitCode, idsIn(report, 'failed')]).toEqual([1, ['tolerates-changes']]);
});

it('passes a right client with a strong suite, and says what was not tested', async () => {
  const folder = suite(client());
  const few = [...ALL, '--only', 'lost_response,status:503,empty_balance,spent.one_more,extra_field'];
  const { exitCode, stdout, report } = await checked(folder, few);
  expect([exitCode, report.findings, idsIn(report, 'failed')]).toEqual([0, [], []]);
  expect(idsIn(report, 'passed')).toEqual([
    ...['pays-once', 'stops-without-credits', 'honours-retry-after', 'survives-lost-messages'],
    ...['matches-ledger', 'tests-catch-violations', 'tolerates-changes'],
  ]);
  const restart = report.checks.find(({ id }) => id === 'survives-restart');
  expect(restart).toMatchObject({ state: 'not_tested', next: expect.stringContaining('--only survives-restart') });
  expect(report.spend).toMatchObject({ credits: 1 });
  expect(stdout).not.toContain('FAILED');
});

it('counts no test that expects success if the service rightly refuses, and lists it once', async () => {
  const folder = suite(client({ EXPECTED: "assert.equal(answer?.status, 200, 'no answer came');" }));
  const { exitCode, stdout, report } = await checked(folder, [...ALL, '--only', 'empty_balance']);
  expect([exitCode, report.findings]).toEqual([0, []]);
  expect(report.expects_success).toMatchObject([{ fault: 'empty_balance at POST /v1/chat/completions #1' }]);
  expect(stdout.match(/^Expects success: .*no answer came.* under empty_balance at POST \S+ #\d+ /gm)).toHaveLength(1);
});

it('counts an error that nothing has caught even if the service rightly refuses', async () => {
  const folder = suite(client({ EXPECTED: 'answer.body.choices[0].message;' }));
  const { exitCode, report } = await checked(folder, [...ALL, '--only', 'empty_balance']);
  expect([exitCode, idsIn(report, 'failed')]).toEqual([1, ['stops-without-credits']]);
});

it('names the test that missed a violation with its file and line, and replays it until it is caught', async () => {
  const strong = SMALL_HEAD + SMALL_TESTS;
  const here = suite(strong.replace('credits_remaining: 999', 'credits_remaining: usage.credits_remaining'));
  const { exitCode, report } = await checked(here, ['--only', 'remaining.stale', ...ALL]);
  expect([exitCode, idsIn(report, 'failed')]).toEqual([1, ['tests-catch-violations']]);
  const [missed] = report.findings;
  expect(missed).toMatchObject({ kind: 'violation', test: { file: 'suite.mjs', line: expect.any(Number) } });
  const replay = ['--replay', missed?.token ?? '', '--trace', 'run.html'];
  expect((await checked(here, replay)).exitCode).toBe(1);
  expect(readFileSync(path.join(here, 'run.html'), 'utf8')).toMatch(/^<!doctype html>/);
  writeFileSync(path.join(here, 'suite.mjs'), strong);
  expect(await checked(here, replay.slice(0, 2))).toMatchObject({
    exitCode: 0,
    stdout: 'Passed: the finding does not occur.\n',
  });
});

const ASKING = `${SMALL_HEAD}await call('GET', '/v1/models');`;
const NOW_AND_THEN = `${ASKING}
const { existsSync, writeFileSync } = await import('node:fs');
if (existsSync('ran')) assert.fail('timed out after 5000 ms');
writeFileSync('ran', '');`;
const UNEVEN = /baseline runs differ: .*\n {2}FAILED: .*timed out after 5000 ms\n.*load was .*--jobs 1\./;

it.each([
  [
    'fails by itself',
    `${ASKING} assert.equal(1, 2, 'one is two');`,
    [],
    2,
    /fails by itself: fix that first\.\n[\s\S]*one is two/,
  ],
  ['fails now and then', NOW_AND_THEN, [], 2, UNEVEN],
  ['fails now and then, if only violations are tried', NOW_AND_THEN, ['--only', 'violations'], 2, UNEVEN],
  ['never reaches the service', '', [], 3, /made no request[^\n]*\n[^\n]*SVC_BASE_URL/],
])('ends with a command that %s, and says how', async (_title, text, args, code, said) => {
  const { exitCode, stdout, stderr, report } = await checked(suite(text), args);
  expect(exitCode).toBe(code);
  expect(stderr).toMatch(said);
  expect(stdout).toBe('');
  expect(report).toMatchObject({ exit: code, error: expect.any(String), findings: [] });
  expect(idsIn(report, 'passed')).toEqual([]);
});

it.each([
  [['--only', 'lost_respons'], 'the closest name is lost_response'],
  [['--only', 'pays-onc'], 'the closest name is pays-once'],
  [['--skip', 'mony'], '--skip is "mony", which matches nothing; the closest name is money'],
  [['--require', 'pay-once'], 'which is not a check; the closest one is pays-once'],
  [['--budget', 'long'], '--budget is long'],
  [['--shard', '3/2'], '--shard is 3/2'],
  [['--seed', '-1'], '--seed is -1'],
  [['--report', 'found.pdf'], 'expected a file that ends in .json, .html, .md or .xml'],
  [['--replay', 'x9-nothing'], 'expected one that a finding was reported with'],
  [['--trace', 'run.html'], 'give it with --replay TOKEN'],
  [['--baseline', 'none.json'], 'none.json, which does not exist'],
  [['npm'], '"npm" is not an option of check. Write the command behind --'],
  [['--prove', 'c1-a'], '--prove needs --base REF'],
])('ends with 2 for %j, without a stack', async (args, message) => {
  const ended = await runCommand(['check', ...args, ...COMMAND], {}, suite(client()));
  expect(ended).toMatchObject({ exitCode: 2, stdout: '' });
  expect(ended.stderr).toContain(message);
  expect(ended.stderr).not.toContain('    at ');
});

it('refuses to run inside a run of check', async () => {
  const ended = await runCommand(['check', ...COMMAND], { SVC_CHECK: '1' }, suite(client()));
  expect(ended).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('Skip it if SVC_CHECK is 1') });
});

it('gives the command what exec gives, and never says what is tried', async () => {
  const folder = suite(
    `import { appendFileSync } from 'node:fs';\nappendFileSync('seen', JSON.stringify(process.env) + '\\n');\n${client()}`,
  );
  await checked(folder, [...ALL, '--only', 'empty_balance']);
  const seen = readFileSync(path.join(folder, 'seen'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  for (const env of seen) {
    expect(env).toMatchObject({ SVC_CHECK: '1', SVC_BASE_URL: expect.any(String), PORT: expect.any(String), CI: '1' });
    expect(existsSync(env.SVC_CHECK_DIR)).toBe(false);
  }
  expect(JSON.stringify(seen)).not.toContain('empty_balance');
});

it('hands the account to the command of --assert, and fails matches-ledger by what it says', async () => {
  const folder = suite(client());
  const script =
    "const { charges, balance } = JSON.parse(require('node:fs').readFileSync(0)); if (charges.length > 0) { console.log('booked ' + balance); process.exit(1); }";
  writeFileSync(path.join(folder, 'assert.cjs'), script);
  const right = await checked(folder, [...ALL, '--only', 'empty_balance', '--assert', 'cat > account.json']);
  expect([right.exitCode, idsIn(right.report, 'passed')]).toEqual([0, ['stops-without-credits', 'matches-ledger']]);
  expect(JSON.parse(readFileSync(path.join(folder, 'account.json'), 'utf8'))).toMatchObject({
    jobs: [],
    deliveries: [],
  });
  const wrong = await checked(folder, [...ALL, '--only', 'empty_balance', '--assert', 'node assert.cjs']);
  expect(wrong.exitCode).toBe(2);
  expect(wrong.stderr).toContain(
    'The command of --assert (node assert.cjs) failed with exit code 1. It printed: booked',
  );
});

it('goes on with violations if faults cannot be tried, and says why', async () => {
  const folder = suite(`${client()}\nawait call('GET', '/v1/models/x' + process.pid);`);
  const { report } = await checked(folder, [...ALL, '--only', 'lost_response,spent.zero']);
  expect(report.violations).toMatchObject([{ name: 'spent.zero', result: 'caught' }]);
  expect(report.checks[0]).toMatchObject({ state: 'not_tested', why: expect.stringMatching(/not the same twice/) });
  expect(idsIn(report, 'passed')).toContain('tests-catch-violations');
});

it('knows its baseline: what it costs, and which findings are known', async () => {
  const folder = suite(client({ LOST: 'again' }));
  const only = [...ALL, '--only', 'lost_response,spend-unchanged'];
  const first = await checked(folder, [...only, '--update-baseline']);
  const spend = first.report.checks.find(({ id }) => id === 'spend-unchanged');
  expect([first.exitCode, spend?.why]).toEqual([0, expect.stringContaining('the next run')]);
  const file = path.join(folder, 'svc-check.json');
  const known = JSON.parse(readFileSync(file, 'utf8'));
  expect(known).toMatchObject({ spend: { credits: 1 }, findings: [{ check: 'pays-once' }] });
  const write = (more: object) => writeFileSync(file, JSON.stringify({ ...known, ...more }));
  write({ accepted: [{ finding: '*' }] });
  expect(await runCommand(['check', ...COMMAND], {}, folder)).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('accepted[0].why: expected a text'),
  });
  write({ spend: { ...known.spend, credits: 9 } });
  const dearer = await checked(folder, only);
  expect(dearer.report.checks[0]).toMatchObject({ state: 'passed', why: '1 known finding' });
  expect([dearer.exitCode, idsIn(dearer.report, 'failed')]).toEqual([1, ['spend-unchanged']]);
  const finding = dearer.report.findings.find(({ state }) => state === 'new');
  expect(dearer.report.findings.map(({ state }) => state).sort()).toEqual(['known', 'new']);
  expect(finding?.happened[0]).toContain('9 -> 1 credits');
  expect((await checked(folder, ['--replay', finding?.token ?? ''])).exitCode).toBe(1);
});

it('ends with 1 if a check of --require has not passed, and finds the same each time', async () => {
  const folder = suite(client());
  const args = [...ALL, '--only', 'empty_balance'];
  const met = await checked(folder, [...args, '--require', 'stops-without-credits']);
  const missing = await checked(folder, [...args, '--require', 'stops-without-credits,survives-restart']);
  expect([met.exitCode, missing.exitCode]).toEqual([0, 1]);
  expect(missing.stdout).toMatch(/^--require survives-restart: not tested \(/m);
  const states = ({ checks }: CheckReport) => checks.map(({ id, state }) => `${id} ${state}`);
  expect(states(missing.report)).toEqual(states(met.report));
});

it('merges shards into what one machine finds', async () => {
  const folder = suite(client({ LOST: 'again' }));
  const args = [...ALL, '--only', 'lost_response,empty_balance,spent.zero'];
  for (const shard of ['1/2', '2/2']) {
    const file = `part-${shard[0]}.json`;
    await runCommand(['check', ...args, '--shard', shard, '--report', file, ...COMMAND], {}, folder);
  }
  const merging = ['check', 'merge', 'part-1.json', 'part-2.json', '--report', 'merged.json', '--report', 'merged.md'];
  const ended = await runCommand(merging, {}, folder);
  const merged = reportIn(folder, 'merged.json');
  expect([ended.exitCode, idsIn(merged, 'failed')]).toEqual([1, ['pays-once']]);
  expect(idsIn(merged, 'passed')).toEqual(expect.arrayContaining(['stops-without-credits', 'tests-catch-violations']));
  expect(merged.findings).toMatchObject([{ kind: 'fault', check: 'pays-once' }]);
  expect(merged.violations).toMatchObject([{ name: 'spent.zero', result: 'caught' }]);
  expect(readFileSync(path.join(folder, 'merged.md'), 'utf8')).toMatch(/^### Check: .*1 failed/);
});

it('writes every form of its report, none with a secret of the environment, and the page stands alone', async () => {
  const secret = 'hunter2-of-the-shop';
  const folder = suite(
    client({ LOST: 'again', EXPECTED: "assert.equal(answer.status, 200, 'token ' + process.env.SHOP_TOKEN);" }),
  );
  const files = ['json', 'html', 'md', 'xml'].map((kind) => `found.${kind}`);
  const reports = files.flatMap((file) => ['--report', file]);
  const line = ['check', ...ALL, '--only', 'lost_response,spent.zero', ...reports, ...COMMAND];
  const ended = await runCommand(line, { SHOP_TOKEN: secret }, folder);
  const texts = files.map((file) => readFileSync(path.join(folder, file), 'utf8'));
  expect([ended.stdout, ended.stderr, ...texts].filter((text) => text.includes(secret))).toEqual([]);
  const [json = '', html = '', markdown, junit] = texts;
  expect(JSON.parse(json).findings).toHaveLength(2);
  expect(html.length).toBeLessThan(500_000);
  expect(html).toMatch(/^<!doctype html>/);
  expect(html).not.toMatch(/(?:src|href)="https?:|<script/);
  expect(markdown).toContain('**FAILED pays-once**');
  expect(junit).toContain('tests="14" failures="2"');
  expect(readFileSync(path.join(folder, '.svc-check/.gitignore'), 'utf8')).toBe('*\n');
  expect(readFileSync(path.join(folder, '.svc-check/check.html'), 'utf8')).toBe(html);
  expect(ended.stderr).toContain('Findings are kept in .svc-check');
});

it('writes its report at Ctrl-C with what was found until then, and leaves nothing running', async () => {
  const folder = suite(
    `import { writeFileSync } from 'node:fs';\nwriteFileSync('pid', String(process.pid));\n${client({ LOST: 'again' })}\nawait new Promise((resolve) => setTimeout(resolve, 700));`,
  );
  const [file, reports] = [path.join(folder, 'suite.mjs'), ['--report', 'found.json']];
  const program = new SpawnedProgram(['check', '--budget', '60s', ...reports, '--', 'node', file], {}, folder);
  await new Promise<void>((resolve) => {
    program.child.stderr?.on('data', () => {
      if (program.stderr.includes('Found: ')) resolve();
    });
  });
  expect(await program.stop('SIGINT')).toBe(130);
  const report = reportIn(folder);
  expect(report).toMatchObject({ exit: 130, error: expect.any(String) });
  expect(report.findings).toMatchObject([{ kind: 'fault', check: 'pays-once' }]);
  expect(program.stdout).toContain('The run was interrupted: this is what was found until then.');
  const left = execFileSync('ps', ['-eo', 'stat=,args='], { encoding: 'utf8' }).split('\n');
  expect(left.filter((line) => line.includes(folder) && !line.startsWith('Z'))).toEqual([]);
});
