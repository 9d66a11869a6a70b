import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it, vi } from 'vitest';
import { DEVIATION_NAMES } from '../../../src/check/app/deviation-table.ts';
import type { CheckReport } from '../../../src/check/check-report.ts';
import { NODE_COMMAND, NODE_SUITE } from '../../check/tests/measured-suite.ts';
import { runCommand } from '../../support/run-command.ts';
import { isWhole } from '../../support/sample.ts';
import { SuiteFolder } from '../../support/suite-folder.ts';
import { folderOf, runToEnd, SpawnedProgram } from '../spawned-program.ts';

/** Asks for one chat, and reads every number of its answer. What LOST, REFUSED and WAIT say makes it right or wrong. */
const CLIENT = `
import assert from 'node:assert/strict';
const { SVC_BASE_URL: base, SVC_API_KEY: key } = process.env;
const body = JSON.stringify({ model: 'svc-rp-mini', messages: [{ role: 'user', content: 'Hello.' }] });
const headers = { authorization: 'Bearer ' + key, 'content-type': 'application/json' };
const again = { status: 500, headers: new Headers() };
let answer;
for (let turn = 0; turn < 4; turn += 1) {
  answer = await fetch(base + '/v1/chat/completions', { method: 'POST', headers, body }).catch(() => LOST);
  if (!answer || answer.status < 400 || REFUSED) break;
  await new Promise((resolve) => setTimeout(resolve, WAIT));
}
EXPECTED
`;
const STRONG = `assert.notEqual(answer?.status, 500, 'it went on failing');
if (answer?.status === 200) assert.deepEqual((await answer.json()).usage, { credits_spent: 1, credits_remaining: 99_999 });`;
const RIGHT = {
  LOST: 'undefined',
  REFUSED: 'answer.status === 402',
  WAIT: "1000 * Number(answer.headers.get('retry-after') ?? 0) + 60",
  EXPECTED: STRONG,
};

function client(wrong: Partial<typeof RIGHT> = {}): string {
  const words = { ...RIGHT, ...wrong };
  return Object.entries(words).reduce((text, [name, value]) => text.replace(name, () => value), CLIENT);
}

function suite(text: string): string {
  const folder = folderOf({ 'suite.mjs': text });
  return folder;
}

/** Many runs of a suite: the gate leaves them to the long run. */
const whole = it.runIf(isWhole);

const COMMAND = ['--', 'node', 'suite.mjs'];

async function checked(folder: string, args: readonly string[], command: readonly string[] = COMMAND) {
  const line = ['check', ...args, '--report', 'found.json', ...command];
  const ended = await runCommand(line, { FORCE_COLOR: '0' }, folder);
  return { ...ended, report: reportIn(folder) };
}

function reportIn(folder: string, name = 'found.json'): CheckReport {
  return JSON.parse(readFileSync(path.join(folder, name), 'utf8'));
}

function idsOf({ statements }: CheckReport, state: string): number[] {
  return statements.filter((each) => each.state === state).map(({ id }) => id);
}

// Each checks a command many times, on a machine that may be busy.
vi.setConfig({ testTimeout: 240_000 });

const ALL = ['--budget', '0', '--jobs', '2'];

it.each([
  ['pays again after a lost answer', { LOST: 'again' }, 'lost_answer', 1],
  ['asks again after a 402', { REFUSED: 'false', WAIT: '60' }, 'empty_balance', 3],
  ['asks again at once after a 429', { WAIT: '1' }, 'status:429', 4],
])('breaks of a client that %s the one statement of that', async (_title, wrong, only, id) => {
  const folder = suite(client(wrong));
  const { exitCode, stdout, report } = await checked(folder, [...ALL, 'app', '--only', only]);
  expect(idsOf(report, 'broken')).toEqual([id]);
  expect(exitCode).toBe(1);
  const [finding] = report.findings;
  expect(finding).toMatchObject({ part: 'app', statement: id, again: expect.stringContaining(finding?.token ?? '-') });
  expect(report.statements[id - 1]?.evidence).toEqual(report.findings.map(({ token }) => token));
  expect(stdout).toContain(`BROKEN ${id}. Your integration`);
  expect(stdout).toContain(`    Again: ${finding?.again}`);
  expect(stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(40);
});

/** Orders a song and waits for its event; a type that it does not know is a fault to it. */
const RECEIVER = `
import { createServer } from 'node:http';
const { SVC_BASE_URL: base, SVC_API_KEY: key } = process.env;
const headers = { authorization: 'Bearer ' + key, 'content-type': 'application/json' };
const post = (at, body) => fetch(base + '/v1' + at, { method: 'POST', headers, body: JSON.stringify(body) });
let done; const came = new Promise((resolve) => (done = resolve));
const server = createServer(async (request, response) => {
  const { type } = JSON.parse((await request.toArray()).join(''));
  const isKnown = type === 'music.generation.succeeded';
  response.writeHead(isKnown ? 204 : 500).end(isKnown ? done : undefined);
}).listen(0, '127.0.0.1');
await new Promise((listening) => server.once('listening', listening));
await post('/webhooks', { url: 'http://127.0.0.1:' + server.address().port, events: ['music.generation.succeeded'] });
await post('/music/generations', { prompt: 'A lantern' });
await came;
server.close();
server.closeAllConnections();
`;

it('breaks statement 14 by an event of a type that the receiver does not know, and no other', async () => {
  const folder = suite(RECEIVER);
  const isHarmless = (name: string) => ['spelled', 'unknown_type', 'two_proofs'].includes(name);
  const others = DEVIATION_NAMES.filter((name) => !isHarmless(name)).join(',');
  const { exitCode, report } = await checked(folder, [...ALL, 'app', '--skip', others]);
  expect(report.findings).toMatchObject([{ kind: 'receiver', statement: 14 }]);
  expect([exitCode, idsOf(report, 'broken')]).toEqual([1, [14]]);
});

whole(
  'breaks nothing of a right client with a strong suite, twice alike, and says what it did not look at',
  async () => {
    const folder = suite(client());
    const few = [...ALL, '--only', 'lost_answer,status:503,empty_balance,spent.one_more,extra_field'];
    const first = await checked(folder, few);
    expect(first.report.findings).toEqual([]);
    expect([first.exitCode, idsOf(first.report, 'broken')]).toEqual([0, []]);
    expect(idsOf(first.report, 'held')).toEqual([1, 3, 4, 7, 11, 13, 14]);
    expect(first.report.statements[7]).toMatchObject({
      state: 'not_looked_at',
      next: expect.stringContaining('--start'),
    });
    expect(first.report.parts).toMatchObject({ spend: { credits: 1 }, app: { findings: [] }, tests: { control: {} } });
    expect(first.stdout).not.toContain('BROKEN');
    const second = await checked(folder, few);
    const timeless = ({ date: _, measured, parts: __, ...rest }: CheckReport) => ({ ...rest, run: measured.run });
    expect(timeless(second.report)).toEqual(timeless(first.report));
  },
);

it('counts no test that expects success where the service rightly refuses, and lists it once', async () => {
  const folder = suite(client({ EXPECTED: "assert.equal(answer?.status, 200, 'no answer came');" }));
  const { exitCode, stdout, report } = await checked(folder, [...ALL, 'app', '--only', 'empty_balance']);
  expect([exitCode, report.findings]).toEqual([0, []]);
  expect(
    stdout.match(
      /^Expects success \(for good: --expect-failure 'empty_balance at POST \S+ #\d+'\): .*no answer came/gm,
    ),
  ).toHaveLength(1);
});

it('counts an error that nothing has caught even where the service rightly refuses', async () => {
  const folder = suite(client({ EXPECTED: '(await answer.json()).choices[0].message;' }));
  const { exitCode, report } = await checked(folder, [...ALL, 'app', '--only', 'empty_balance']);
  expect([exitCode, idsOf(report, 'broken')]).toEqual([1, [3]]);
});

whole(
  'names the test of a survivor with its file and line, and shows it again by its token until it is caught',
  async () => {
    const folder = new SuiteFolder({
      'shop.test.mjs': NODE_SUITE['shop.test.mjs'].replace(
        'credits_remaining: 999',
        'credits_remaining: usage.credits_remaining',
      ),
    });
    const command = ['--', ...NODE_COMMAND];
    const here = folder.file('.');
    const { exitCode, report } = await checked(here, ['tests', '--only', 'remaining.stale', ...ALL], command);
    expect([exitCode, idsOf(report, 'broken')]).toEqual([1, [13]]);
    const [survivor] = report.findings;
    expect(survivor).toMatchObject({ kind: 'survivor', file: 'shop.test.mjs', line: expect.any(Number) });
    expect(survivor?.happened[0]).toMatch(/^Passed under it: .* \(shop\.test\.mjs:\d+\)$/);
    const again = ['--again', survivor?.token ?? '', '--trace', 'lie.html'];
    expect((await checked(here, again, command)).exitCode).toBe(1);
    expect(readFileSync(folder.file('lie.html'), 'utf8')).toMatch(/^<!doctype html>/);
    writeFileSync(folder.file('shop.test.mjs'), NODE_SUITE['shop.test.mjs']);
    expect(await checked(here, again.slice(0, 2), command)).toMatchObject({
      exitCode: 0,
      stdout: 'Caught: a test fails under this lie.\n',
    });
  },
);

const ASKING = "import assert from 'node:assert'; await fetch(process.env.SVC_BASE_URL + '/v1/models');";
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
    /fails by itself: mend that first\.\n[\s\S]*one is two/,
  ],
  ['fails now and then', NOW_AND_THEN, [], 2, UNEVEN],
  ['fails now and then, where lies alone are asked for', NOW_AND_THEN, ['tests', 'spend'], 2, UNEVEN],
  ['never reaches the service', '', [], 3, /made no request[^\n]*\n[^\n]*SVC_BASE_URL/],
])('ends with a command that %s, and says how', async (_title, text, args, code, said) => {
  const { exitCode, stdout, stderr, report } = await checked(suite(text), args);
  expect(exitCode).toBe(code);
  expect(stderr).toMatch(said);
  expect(stdout).toBe('');
  expect(report).toMatchObject({ exit: code, error: { exit_code: code }, findings: [] });
  expect(idsOf(report, 'held')).toEqual([]);
});

it.each([
  [['--only', 'lost_anser'], 'the nearest name is lost_answer'],
  [['--skip', 'refnd.*'], 'Nothing is called "refnd.*"'],
  [['--expect-failure', 'empty_balanc'], 'the nearest is empty_balance'],
  [['--allow', 'paid_agian'], 'Did you mean paid_again?'],
  [['--require', '16'], '--require is 16'],
  [['--budget', 'long'], '--budget is long'],
  [['--report', 'found.pdf'], 'expected a file that ends in .json, .html, .md, .xml or .sarif'],
  [['--again', 'x9-nothing'], 'expected a token that a finding was reported with'],
  [['--baseline', 'none.json'], 'none.json, which does not exist'],
  [['aps'], 'There is no part "aps"; expected app, tests'],
  [['receiver'], 'receiver needs --receiver URL and --secret-env NAME'],
  [['--prove', 'x1-a'], '--prove needs --base REF'],
])('ends with 2 for %j, without a stack', async (args, message) => {
  const ended = await runCommand(['check', ...args, ...COMMAND], {}, suite(client()));
  expect(ended).toMatchObject({ exitCode: 2, stdout: '' });
  expect(ended.stderr).toContain(message);
  expect(ended.stderr).not.toContain('    at ');
});

it('says of a finding that now breaks another statement what became of the first one', async () => {
  const folder = suite(client({ LOST: 'again' }));
  const { report } = await checked(folder, [...ALL, 'app', '--only', 'lost_answer']);
  writeFileSync(
    path.join(folder, 'suite.mjs'),
    client({ EXPECTED: "assert.equal(answer?.status, 200, 'no answer');" }),
  );
  const again = await checked(folder, ['--again', report.findings[0]?.token ?? '']);
  expect([report, again.report].map((each) => idsOf(each, 'broken'))).toEqual([[1], [7]]);
  expect(again.stdout).toMatch(
    /^Statement 1 \(never pays .*\), which it broke first, is not looked at: the run failed before; .* statement 7 /m,
  );
});

whole('goes on with the other parts where one cannot run, and says why', async () => {
  const folder = suite(`${client()}\nif (process.env.SVC_BASE_URL) await fetch(base + '/v1/models/x' + process.pid);`);
  const { report } = await checked(folder, [...ALL, '--only', 'lost_answer,spent.zero']);
  expect(report.parts).toMatchObject({ tests: expect.anything(), spend: expect.anything() });
  expect(report.parts.app).toBeUndefined();
  expect(report.statements[0]).toMatchObject({
    state: 'not_looked_at',
    why: expect.stringMatching(/not the same twice/),
  });
  expect(report.statements[12]?.state).toBe('held');
});

whole('knows its baseline: spend, known findings, and reasons of what is accepted', async () => {
  const folder = suite(client({ LOST: 'again' }));
  const only = [...ALL, 'app', 'spend', '--only', 'lost_answer'];
  const first = await checked(folder, [...only, '--update-baseline']);
  expect([first.exitCode, first.report.statements[11]]).toEqual([
    0,
    expect.objectContaining({ state: 'not_looked_at', why: expect.stringContaining('the baseline is of this run') }),
  ]);
  const file = path.join(folder, 'svc-check.json');
  const known = JSON.parse(readFileSync(file, 'utf8'));
  expect(known).toMatchObject({ spend: { credits: 1 }, findings: [expect.stringContaining('its answer is lost')] });
  const second = await checked(folder, only);
  expect([second.exitCode, second.report.statements[11]?.state]).toEqual([0, 'held']);
  expect(second.report.statements[0]).toMatchObject({ state: 'broken', why: '1 known to the baseline' });

  const accepted = [{ finding: '*its answer is lost', why: 'users may pay twice' }];
  const write = (more: object) => writeFileSync(file, JSON.stringify({ ...known, findings: [], accepted, ...more }));
  write({ accepted: [{ finding: '*' }] });
  expect(await runCommand(['check', ...COMMAND], {}, folder)).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('accepted[0]: expected {"finding", "why"}'),
  });
  write({ spend: { ...known.spend, credits: 9 } });
  const dearer = await checked(folder, ['spend']);
  expect([dearer.exitCode, idsOf(dearer.report, 'broken')]).toEqual([1, [12]]);
  expect(dearer.report.findings[0]?.happened[0]).toContain('9 -> 1 credits');
});

it('tries first what survived the last time, and counts no survivor that is accepted against --min', async () => {
  const folder = suite(client({ EXPECTED: 'assert.ok(await answer.json());' }));
  const tests = async (only: string, ...more: string[]) => {
    const ended = await checked(folder, [...ALL.slice(0, 2), 'tests', '--jobs', '1', '--only', only, ...more]);
    return { ...ended, tried: ended.report.parts.tests?.lies.map(({ lie, verdict }) => [lie, verdict]) };
  };
  expect((await tests('spent.zero')).tried).toEqual([['spent.zero', 'survived']]);
  const second = await tests('charge.none,spent.zero', '--min', 'money=100');
  expect(second.tried?.map(([lie]) => lie)).toEqual(['spent.zero', 'charge.none']);
  expect(second.stdout).toContain('--min money=100: 0 of 2 were caught.');
  const [{ unit = '' } = {}] = second.report.parts.tests?.lies ?? [];
  const accepted = [{ lie: 'charge.none', unit, why: 'The books are read by hand.' }];
  writeFileSync(path.join(folder, 'svc-check.json'), JSON.stringify({ accepted }));
  const third = await tests('charge.none,spent.zero', '--min', 'money=100');
  expect(third.stdout).toContain('--min money=100: 0 of 1 were caught.');
});

it('ends with 1 where a statement of --require is not held, whatever else is', async () => {
  const folder = suite(client());
  const args = [...ALL, 'app', '--only', 'empty_balance'];
  expect((await checked(folder, [...args, '--require', '3'])).exitCode).toBe(0);
  const missing = await checked(folder, [...args, '--require', '3,8']);
  expect(missing).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('--require 8: ') });
});

whole('merges shards into what one machine finds', async () => {
  const folder = suite(client({ LOST: 'again' }));
  const args = [...ALL, 'app', '--only', 'lost_answer,empty_balance'];
  const whole = (await checked(folder, args)).report;
  for (const shard of ['1/2', '2/2']) {
    const file = `part-${shard[0]}.json`;
    await runCommand(['check', ...args, '--shard', shard, '--report', file, ...COMMAND], {}, folder);
  }
  const merging = ['check', 'merge', 'part-1.json', 'part-2.json', '--report', 'merged.json', '--report', 'merged.md'];
  const ended = await runCommand(merging, {}, folder);
  const merged = reportIn(folder, 'merged.json');
  const states = ({ statements }: CheckReport) => statements.map(({ state }) => state);
  expect(states(merged)).toEqual(states(whole));
  expect(merged.findings.map(({ title }) => title)).toEqual(whole.findings.map(({ title }) => title));
  expect(ended.exitCode).toBe(1);
  expect(readFileSync(path.join(folder, 'merged.md'), 'utf8')).toMatch(/^### Check: .*1 broken/);
});

it('writes every form of its report, none with a secret of the environment, and the page stands alone', async () => {
  const secret = 'hunter2-of-the-shop';
  const folder = suite(
    client({ LOST: 'again', EXPECTED: "assert.equal(answer.status, 200, 'token ' + process.env.SHOP_TOKEN);" }),
  );
  const files = ['json', 'html', 'md', 'xml', 'sarif'].map((kind) => `found.${kind}`);
  const reports = files.flatMap((file) => ['--report', file]);
  const line = ['check', ...ALL, '--only', 'lost_answer,spent.zero', ...reports, ...COMMAND];
  const ended = await runCommand(line, { SHOP_TOKEN: secret }, folder);
  const texts = files.map((file) => readFileSync(path.join(folder, file), 'utf8'));
  expect([ended.stdout, ended.stderr, ...texts].filter((text) => text.includes(secret))).toEqual([]);
  const [json = '', html = '', markdown, junit, sarif = ''] = texts;
  expect(JSON.parse(json).findings).toHaveLength(2);
  expect(html.length).toBeLessThan(2_000_000);
  expect(html).toMatch(/^<!doctype html>/);
  expect(html).not.toMatch(/(?:src|href)="https?:/);
  expect(markdown).toContain('**BROKEN 1. Your integration never pays twice for one order**');
  expect(junit).toContain('tests="15" failures="2"');
  expect(JSON.parse(sarif).runs[0].results.map(({ ruleId }: { ruleId: string }) => ruleId)).toEqual([
    'statement-1',
    'statement-13',
  ]);
  expect(readFileSync(path.join(folder, '.svc-check/.gitignore'), 'utf8')).toBe('*\n');
  expect(ended.stderr).toContain('Findings and surviving lies are kept in .svc-check');
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
  expect(report).toMatchObject({ exit: 130, error: { exit_code: 130 }, parts: { app: expect.anything() } });
  expect(report.findings).toMatchObject([{ part: 'app', statement: 1 }]);
  expect(program.stdout).toContain('The run was interrupted: this is what was found until then.');
  const left = execFileSync('ps', ['-eo', 'stat=,args='], { encoding: 'utf8' }).split('\n');
  expect(left.filter((line) => line.includes(folder) && !line.startsWith('Z'))).toEqual([]);
});

function git(folder: string, ...args: string[]): string {
  const who = ['-c', 'user.name=a', '-c', 'user.email=a@b.c'];
  return execFileSync('git', [...who, ...args], { cwd: folder, encoding: 'utf8' }).trim();
}

whole('proves a fix where the finding failed on the base and passes here, and else nothing', async () => {
  const folder = suite(client({ LOST: 'again' }));
  git(folder, 'init', '-q');
  writeFileSync(path.join(folder, '.gitignore'), 'found.json\nproof.json\n');
  git(folder, 'add', '-A');
  git(folder, 'commit', '-qm', 'broken');
  const { report } = await checked(folder, [...ALL, 'app', '--only', 'lost_answer']);
  expect(report.commit).toEqual({ id: git(folder, 'rev-parse', 'HEAD'), clean: true });
  const prove = async (ref: string) => {
    const [token = ''] = report.findings.map((finding) => finding.token);
    const line = ['check', '--prove', token, '--base', ref, '--report', 'proof.json', ...COMMAND];
    const ended = await runToEnd(line, {}, folder);
    return { ...ended, proof: JSON.parse(readFileSync(path.join(folder, 'proof.json'), 'utf8')) };
  };
  const unmended = await prove('HEAD');
  expect(unmended).toMatchObject({
    exitCode: 1,
    proof: { proven: false, base: { failed: true }, here: { failed: true } },
  });

  writeFileSync(path.join(folder, 'suite.mjs'), client());
  const mended = await prove('HEAD');
  expect(mended).toMatchObject({ exitCode: 0, stdout: 'Proven: it failed (statement 1) on HEAD, it passed here.\n' });
  expect(mended.proof).toMatchObject({
    proven: true,
    base: { failed: true },
    here: { failed: false, commit: { clean: false } },
  });
  git(folder, 'commit', '-qam', 'mended');
  expect(await prove('HEAD')).toMatchObject({ exitCode: 1, proof: { proven: false, base: { failed: false } } });
  // Neither the work tree nor Git's record of it is left.
  expect(git(folder, 'worktree', 'list').split('\n')).toHaveLength(1);
  expect(existsSync(path.join(folder, '.svc-check'))).toBe(true);
});
