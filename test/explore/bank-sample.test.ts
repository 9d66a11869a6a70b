import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import type { ExploreReport } from '../../src/index.ts';

/** What of the bank's scripts is used here: they are plain JavaScript, as applications are. */
interface Copies {
  copyOf(app: string, name: string, changes: readonly (readonly string[])[]): string;
}
type Broken = Record<string, readonly (readonly string[])[]>;

const nearby = (file: string) => import(new URL(file, import.meta.url).href);
const { copyOf }: Copies = await nearby('./broken-copy.mjs');
const brokenOf = async (app: string): Promise<Broken> => (await nearby(`./${app}/broken.mjs`)).BROKEN;
const FORMS = fileURLToPath(new URL('./bank-forms.mjs', import.meta.url));

/** Whoever looks after a while looks once more, or not, where a machine is starved: so long none of these takes. */
const PATIENT: Broken = { publisher: [['await rest(350);', 'await rest(1500);']] };

/** Explores a copy of an application under one kind of deviation, in a process of its own. */
async function explored(app: string, name: string, options: { only: string[] }): Promise<ExploreReport> {
  const changes = name === 'correct' ? [] : ((await brokenOf(app))[name] ?? []);
  const copy = copyOf(app, `${name}, patient`, [...changes, ...(PATIENT[app] ?? [])]);
  // Few at a time: an app whose own patience ends on a starved machine shows what it does then, and not what is planted.
  const of = { ...options, bound: 1, budget: 0, jobs: 8 };
  const { stdout } = await promisify(execFile)(process.execPath, [FORMS, app, copy, JSON.stringify(of)]);
  return JSON.parse(stdout);
}

it.each([
  ['chat', 'sends again after a lost answer', 'lost_answer', 'verdict'],
  ['chat', 'takes a cut stream for a whole one', 'cut:middle', 'check'],
  ['publisher', 'publishes twice', 'duplicate', 'probe'],
  ['publisher', 'no signature check', 'forged', 'verdict'],
  ['batch', 'keeps half a file', 'truncated', 'probe'],
])('finds what is planted in the %s (%s), and nothing in the correct one [I240 I243]', async (...row) => {
  const [app, name, deviation, kind] = row;
  const only = [deviation];
  const [found, correct] = await Promise.all([explored(app, name, { only }), explored(app, 'correct', { only })]);
  // The same bug may be told in another way at another step.
  const planted = { kind, schedule: [expect.objectContaining({ deviation })] };
  expect(found.findings).toContainEqual(expect.objectContaining(planted));
  expect(correct).toMatchObject({ findings: [], schedules_left: 0 });
});

it.each(['shop', 'chat', 'batch', 'publisher'])(
  'plants every bug of the %s where the correct one has its line',
  async (app) => {
    const broken = Object.entries(await brokenOf(app));
    expect(broken.length).toBeGreaterThanOrEqual(10);
    for (const [name, changes] of broken) expect(() => copyOf(app, name, changes)).not.toThrow();
  },
);
