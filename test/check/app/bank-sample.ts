import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import type { ExploreReport } from '../../../src/index.ts';

/** What of the bank's scripts is used here: they are plain JavaScript, as applications are. */
interface Copies {
  copyOf(app: string, name: string, changes: readonly (readonly string[])[]): string;
}
type Broken = Record<string, readonly (readonly string[])[]>;

type StatementsOf = (bug: string) => readonly number[];

const nearby = (file: string) => import(new URL(file, import.meta.url).href);
export const { copyOf }: Copies = await nearby('./broken-copy.mjs');
export const { statementsOf }: { statementsOf: StatementsOf } = await nearby('./bank-statements.mjs');
export const brokenOf = async (app: string): Promise<Broken> => (await nearby(`./${app}/broken.mjs`)).BROKEN;
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

/** Expects a planted bug to be found by one kind of deviation, and nothing in the correct application. */
export async function expectFound(app: string, name: string, deviation: string, kind: string): Promise<void> {
  const only = [deviation];
  const [found, correct] = await Promise.all([explored(app, name, { only }), explored(app, 'correct', { only })]);
  // The same bug may be told in another way at another step.
  const planted = found.findings.filter((each) => each.kind === kind && each.schedule[0]?.deviation === deviation);
  expect(planted).not.toEqual([]);
  const ids = kind === 'check' ? [11] : statementsOf(name);
  expect(planted.filter(({ statement, schedule }) => schedule.length > 1 || !ids.includes(statement))).toEqual([]);
  expect(correct).toMatchObject({ findings: [], schedules_left: 0 });
}
