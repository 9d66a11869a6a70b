import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { CHECK_IDS } from '../../../src/check/checks.ts';
import { encodeToken } from '../../../src/check/token.ts';
import { runCommand } from '../../support/run-command.ts';
import { folderOf } from '../spawned-program.ts';

const STATE = { state: 'passed', tried: { run: 1, of: 1 }, findings: [] };
const REPORT = {
  ...{ version: '0.1.0', command: 'npm test', seed: 1, commit: null, measured: { planned: 1, run: 1, seconds: 1 } },
  checks: CHECK_IDS.map((id) => ({ id, ...STATE })),
  ...{ shard: { i: 1, n: 2 }, findings: [], expects_success: [], dead_tests: [], spend: null, exit: 0 },
};

const SECOND = { ...REPORT, shard: { i: 2, n: 2 } };

const merged = (text: string) => {
  const folder = folderOf({ 'one.json': JSON.stringify(REPORT), 'two.json': text });
  return runCommand(['check', 'merge', 'one.json', 'two.json', '--report', 'all.json'], {}, folder);
};

it.each([
  ['an interruption', { exit: 130, error: 'The run was interrupted.' }, 130],
  ['an internal error', { exit: 70, error: 'It broke.' }, 70],
  ['too little that was measured', { exit: 3, error: 'Only 1 of 9 were tried.' }, 3],
  ['a command that fails by itself', { exit: 2, error: 'The command fails by itself.' }, 2],
])('exits after a merge with the code for %s in one shard', async (_, end, code) => {
  const { exitCode, stderr } = await merged(JSON.stringify({ ...SECOND, ...end }));
  expect([exitCode, stderr]).toEqual([code, expect.stringContaining(end.error)]);
});

it('does not pass a check that one shard has not tested', async () => {
  const [untested, ...others] = SECOND.checks;
  const checks = [{ ...untested, state: 'not_tested', tried: { run: 0, of: 3 }, why: 'the time ran out' }, ...others];
  const { stdout } = await merged(JSON.stringify({ ...SECOND, checks }));
  expect(stdout).toMatch(/^13 passed, 1 not tested\n[\s\S]*Not tested: pays-once 1 of 4 \(the time ran out\)\n/);
});

it('joins the findings of two shards that have the same check, fault and fix', async () => {
  const reportOf = (shard: number, path: string) => {
    const scene = { kind: 'fault', command: '', faults: [{ fault: 'slow', site: `POST ${path} #1` }] } as const;
    const token = encodeToken({ version: '0.1.0', seed: 1, check: 'pays-once', scene });
    const told = { title: `POST ${path} #1 is slow`, happened: [], advice: 'Turn off retries.', replay: '' };
    const finding = { token, also: [], check: 'pays-once', kind: 'fault', ...told, state: 'new' };
    const checks = REPORT.checks.map((check) =>
      check.id === 'pays-once' ? { ...check, state: 'failed', findings: [token] } : check,
    );
    return { ...REPORT, shard: { i: shard, n: 2 }, checks, findings: [finding], exit: 1 };
  };
  const [one, two] = [reportOf(1, '/v1/chat/completions'), reportOf(2, '/v1/audio/speech')];
  const folder = folderOf({ 'one.json': JSON.stringify(one), 'two.json': JSON.stringify(two) });
  const { stdout } = await runCommand(['check', 'merge', 'one.json', 'two.json', '--report', 'all.json'], {}, folder);
  const { findings } = JSON.parse(readFileSync(path.join(folder, 'all.json'), 'utf8'));
  expect(findings).toMatchObject([{ token: one.findings[0]?.token, also: [two.findings[0]?.token] }]);
  expect(stdout).toContain('Also at: POST /v1/audio/speech #1');
});

const [first, second, ...rest] = REPORT.checks;
/** Characters that control a terminal, or that change the direction of text. */
const CARRIED_OUT = /(?![\n\t])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u;

it.each([
  ['a field of another type', { ...REPORT, seed: 'one' }, 'two.json is not a report'],
  ['a field that is unknown', { ...REPORT, more: 1 }, 'two.json is not a report'],
  ['too few checks', { ...REPORT, checks: REPORT.checks.slice(1) }, 'two.json is not a report'],
  ['checks in another order', { ...REPORT, checks: [second, first, ...rest] }, 'two.json is not a report'],
  ['a finding of no check', { ...REPORT, findings: [{ token: 'c1-x' }] }, 'two.json is not a report'],
  [
    'a failed check whose finding is missing',
    { ...REPORT, checks: [{ ...first, state: 'failed', findings: ['c1-x'] }, second, ...rest] },
    'two.json is not a report',
  ],
  ['another command', { ...SECOND, command: 'a\u001b[2J' }, 'the command is npm test in one and a\\u001b[2J in'],
  ['another seed', { ...SECOND, seed: 2 }, 'belong to different runs: the seed'],
  ['another commit', { ...SECOND, commit: { id: 'abc', clean: true } }, 'belong to different runs: the commit'],
  ['the same shard', REPORT, 'Shard 1/2 is there 2 times'],
  [
    'a shard of another number of shards',
    { ...SECOND, shard: { i: 3, n: 3 } },
    'the number of shards is 2 in one and 3',
  ],
  ['another version', { ...SECOND, version: '0.0.9' }, 'belong to different runs: the version'],
  ['a hundred thousand nested lists', '['.repeat(100_000), 'two.json is not a report'],
])('exits with 2 for a file to merge that contains %s', async (_, content, said) => {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  const { exitCode, stdout, stderr } = await merged(text);
  expect([exitCode, stdout, stderr]).toEqual([2, '', expect.stringContaining(said)]);
  expect(stderr).not.toContain('    at ');
  expect(stderr).not.toMatch(CARRIED_OUT);
});

it('check merge escapes the names and errors of tests in the reports that it reads', async () => {
  const name =
    'one\n::error::two\u001b[31m\u0007\u009b31m\u202e\u2066 ![x](https://a.example/i.png) **bold** fixes #123 @all <b><img src=x onerror="alert(1)"><script>alert(2)</script>';
  const finding = {
    ...{ token: 'c1-x', also: [], check: 'pays-once', kind: 'fault', title: name, test: { name, file: name, line: 1 } },
    ...{ error: name, happened: [name], advice: name, replay: name, state: 'new' },
  };
  const failed = { ...first, state: 'failed', findings: ['c1-x'] };
  const report = {
    ...{ ...REPORT, shard: { i: 1, n: 1 }, checks: [failed, second, ...rest], findings: [finding], exit: 1 },
    expects_success: [{ test: name, fault: name, did: name }],
  };
  const folder = folderOf({ 'one.json': JSON.stringify(report) });
  const reports = ['md', 'html', 'xml'].flatMap((kind) => ['--report', `all.${kind}`]);
  const { exitCode, stdout } = await runCommand(['check', 'merge', 'one.json', ...reports], {}, folder);
  const read = (kind: string) => readFileSync(path.join(folder, `all.${kind}`), 'utf8');
  const shown = { stdout, md: read('md'), html: read('html'), xml: read('xml') };
  expect(exitCode).toBe(1);
  for (const [kind, text] of Object.entries(shown)) {
    expect(text, kind).toContain('::error::two');
    expect(text, kind).not.toMatch(CARRIED_OUT);
    expect(text, kind).not.toMatch(/^\s*::error/m);
  }
  expect(shown.html).not.toMatch(/<b>|<img|<script>alert/);
  const plain = shown.md.replace(/`[^`\n]*`/g, '');
  expect(plain).not.toMatch(/(?<!\\)!\[|(?<!\\)\*\*bold|#123|@all|<b>|https:\/\//);
});
