import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { MutateReport } from '../../src/check/tests/mutate-report.ts';
import { mutate, type StoryParts, startEmulator } from '../../src/index.ts';
import { atLeast, atMost, type BenchRow, each, timed } from './bench-row.ts';
import { CHAT, withFolder } from './bench-server.ts';

const SUITE = path.resolve('test/bench/mutated-suite.mjs');

/** Placebos that were noticed, and verdicts that differ: between three packed runs, and one by one. */
export async function verdictRows(): Promise<BenchRow[]> {
  const options = ['--trust', '--budget', '0', '--all', '--skip', 'liberties', '--skip', 'field.*'];
  const reports = await each(4, (at) => measured(40, 0, [...options, ...(at === 3 ? ['--one-by-one'] : [])]));
  const placebos = reports.map(({ measured: { placebos: each } }) => each);
  const run = placebos.reduce((sum, each) => sum + each.run, 0);
  const noticed = placebos.reduce((sum, each) => sum + each.noticed, 0);
  const [first, ...others] = reports.map(verdictsOf);
  const rows = first?.size ?? 0;
  const differing = others.map(
    (each) => [...(first ?? [])].filter(([key, verdict]) => each.get(key) !== verdict).length,
  );
  const apart = differing.pop() ?? Number.NaN;
  return [
    none(`mutate: placebos noticed of ${run}`, noticed),
    none(
      `mutate: verdicts of ${2 * rows} that differ between three runs`,
      differing.reduce((sum, each) => sum + each, 0),
    ),
    none(`mutate: verdicts of ${rows} that differ packed and one by one`, apart),
  ];
}

function none(name: string, count: number): BenchRow {
  return { name, ours: String(count), theirs: '0', ratio: count, bar: '<= 0' };
}

/** The best verdict of each lie at its site. */
function verdictsOf({ lies }: MutateReport): Map<string, string> {
  const best = ['noticed', 'no_verdict', 'survived', 'unread', 'unreached'];
  const found = new Map<string, string>();
  for (const { lie, site, verdict } of lies) {
    const known = found.get(`${lie}@${site}`);
    if (!known || best.indexOf(verdict) < best.indexOf(known)) found.set(`${lie}@${site}`, verdict);
  }
  return found;
}

const REQUESTS = 1000;

/** Answers to one account that differ in any byte while another is lied to in every way. */
export async function isolationRows(): Promise<BenchRow[]> {
  const [truth, lied] = [await answersOf(false), await answersOf(true)];
  const differing = truth.filter((answer, at) => answer !== lied[at]).length;
  return [none(`mutate: answers of ${truth.length} that a lie to another account changes`, differing)];
}

async function answersOf(isLied: boolean): Promise<string[]> {
  const emulator = await startEmulator({ seed: 7 });
  try {
    await emulator.clock.freeze('2030-01-01T00:00:00Z');
    const [other, own] = [await emulator.account({ credits: 5000 }), await emulator.account({ credits: 5000 })];
    const lies = await emulator.control.listLies();
    const names = lies.map(({ name }) => name).filter((name) => !name.startsWith('field.') && name !== 'key.any');
    if (isLied)
      for (const lie of names) await emulator.control.createFault({ match: { account_id: other.id }, effect: { lie } });
    const answers: string[] = [];
    for (let at = 0; at < REQUESTS; at += 1) {
      const ask = ([, method, url]: readonly string[], key: string) =>
        fetch(emulator.url + url, {
          method: method ?? 'GET',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          ...(method === 'POST' ? { body: JSON.stringify({ ...CHAT, stream: at % 3 === 0 }) } : {}),
        }).then(async (answer) => `${answer.status} ${answer.headers.get('content-type')} ${await answer.text()}`);
      const kind = KINDS[at % KINDS.length] ?? [];
      await ask(kind, other.apiKey);
      answers.push(await ask(kind, own.apiKey));
    }
    return answers;
  } finally {
    await emulator.close();
  }
}

const KINDS = [
  ['chat', 'POST', '/v1/chat/completions'],
  ['account', 'GET', '/v1/account'],
  ['list', 'GET', '/v1/storage/objects'],
  ['missing', 'GET', '/v1/music/generations/job_00'],
] as const;

const STORY_MS = 40;

/** Lies a second of a story of 40 ms in the function form. */
export async function rateRows(): Promise<BenchRow[]> {
  const story = async ({ emulator, account }: StoryParts) => {
    const headers = { authorization: `Bearer ${account.apiKey}`, 'content-type': 'application/json' };
    const url = `${emulator.url}/v1/chat/completions`;
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(CHAT) });
    const { usage, choices } = (await answer.json()) as { usage: { credits_spent: number }; choices: object[] };
    await pause(STORY_MS);
    if (usage.credits_spent !== 1 || choices.length !== 1) throw new Error('The answer is not what it was.');
  };
  const options = { all: true, skip: ['liberties'], trust: true, budget: 0, min: { money: 0 } };
  const { measured: found } = await mutate(story, options);
  return [atLeast('mutate, function form: lies a second', found.runs / found.seconds, 20)];
}

const QUICK_TESTS = 400;

/** Milliseconds that a test takes longer where it is reported as a unit. */
export async function overheadRows(): Promise<BenchRow[]> {
  const rounds = await each(3, async () => ({
    plain: await suiteSeconds(QUICK_TESTS, 0, {}),
    units: await suiteSeconds(QUICK_TESTS, 0, { SVC_UNITS: '1' }),
  }));
  const least = (of: 'plain' | 'units') => Math.min(...rounds.map((round) => round[of]));
  const more = (1000 * (least('units') - least('plain'))) / QUICK_TESTS;
  return [atMost('mutate: milliseconds that a reported test takes longer', more, 5, 2)];
}

const [TESTS, TEST_MS] = [120, 150];

/** The whole default run of 120 tests in 20 s against the suite's own time, and again with its baseline. */
export async function timeRows(): Promise<BenchRow[]> {
  const own = await suiteSeconds(TESTS, TEST_MS, {});
  return withFolder(async (folder) => {
    const baseline = ['--baseline', path.join(folder, 'baseline.json')];
    const whole = await measured(TESTS, TEST_MS, [...baseline, '--update-baseline']);
    const again = await measured(TESTS, TEST_MS, baseline);
    return [
      atMost(`mutate: times of a suite of ${own.toFixed(0)} s`, whole.measured.seconds / own, 10),
      atMost('mutate: the same with a baseline and nothing changed', again.measured.seconds / own, 3),
    ];
  });
}

function measured(tests: number, ms: number, options: readonly string[]): Promise<MutateReport> {
  return withFolder(async (folder) => {
    const report = path.join(folder, 'report.json');
    await run(['mutate', '--report', report, ...options, '--', process.execPath, '--test', SUITE], tests, ms);
    return JSON.parse(readFileSync(report, 'utf8')) as MutateReport;
  });
}

/** The suite alone, beside an emulator. */
async function suiteSeconds(tests: number, ms: number, more: Record<string, string>): Promise<number> {
  return (await timed(() => run(['exec', '--', process.execPath, '--test', SUITE], tests, ms, more))) / 1000;
}

function run(words: readonly string[], tests: number, ms: number, more: Record<string, string> = {}): Promise<void> {
  const env = { ...process.env, BENCH_TESTS: String(tests), BENCH_TEST_MS: String(ms), ...more };
  const child = spawn(process.execPath, ['dist/main.js', ...words], { stdio: 'ignore', env });
  return new Promise((resolve) => child.once('close', () => resolve()));
}
