import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { CheckReport } from '../../src/check/report.ts';
import { startEmulator } from '../../src/index.ts';
import { atLeast, type BenchRow, each } from './bench-row.ts';
import { CHAT, withFolder } from './bench-server.ts';

const SUITE = path.resolve('test/bench/checked-suite.mjs');
const JOBS = 2;

/** How many scenarios a minute of a suite of 30 tests with fixtures, from when its baseline runs are made. */
export async function suiteRows(): Promise<BenchRow[]> {
  const search = ['--only', 'faults', '--jobs', String(JOBS), '--', process.execPath, '--test', SUITE];
  const [early, late] = await each(['20s', '60s'], (budget) => checked(['--budget', budget, ...search]));
  if (!early || !late) throw new Error('check wrote no report');
  const rate = (60 * (late.runs - early.runs)) / (late.seconds - early.seconds);
  return [atLeast('check, a suite of 30 tests with fixtures: scenarios a minute', rate, 500, 0)];
}

function checked(words: readonly string[]): Promise<{ runs: number; seconds: number }> {
  return withFolder(async (folder) => {
    const report = path.join(folder, 'found.json');
    const line = [path.resolve('dist/main.js'), 'check', '--report', report, ...words];
    const child = spawn(process.execPath, line, { stdio: 'ignore', cwd: folder });
    await new Promise((resolve) => child.once('close', resolve));
    const { checks, measured }: CheckReport = JSON.parse(readFileSync(report, 'utf8'));
    return { runs: checks.reduce((sum, { tried }) => sum + tried.run, 0), seconds: measured.seconds };
  });
}

function none(name: string, count: number): BenchRow {
  return { name, ours: String(count), theirs: '0', ratio: count, bar: '<= 0' };
}

const REQUESTS = 1000;

/** Answers to one account that differ in any byte while another gets every violation. */
export async function isolationRows(): Promise<BenchRow[]> {
  const [original, violated] = [await answersOf(false), await answersOf(true)];
  const differing = original.filter((answer, at) => answer !== violated[at]).length;
  return [none(`check: answers of ${original.length} that a violation for another account changes`, differing)];
}

async function answersOf(isViolated: boolean): Promise<string[]> {
  const emulator = await startEmulator({ seed: 7 });
  try {
    await emulator.clock.freeze('2030-01-01T00:00:00Z');
    const [other, own] = [await emulator.account({ credits: 5000 }), await emulator.account({ credits: 5000 })];
    const violations = await emulator.control.listViolations();
    const names = violations.map(({ name }) => name).filter((name) => !name.startsWith('field.') && name !== 'key.any');
    if (isViolated)
      for (const violation of names)
        await emulator.control.createFault({ match: { account_id: other.id }, effect: { violation } });
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
