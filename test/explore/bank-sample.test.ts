import { expect, it } from 'vitest';
import { ExploreFindings, type ExploreReport, explore, type StoryParts } from '../../src/index.ts';

/** What of the bank's scripts is used here: they are plain JavaScript, as applications are. */
interface Copies {
  copyOf(app: string, name: string, changes: readonly (readonly string[])[]): string;
}
interface Stories {
  storyOf(
    file: string,
    told: unknown,
  ): { story(parts: StoryParts): unknown; probe(parts: StoryParts): unknown; check(parts: StoryParts): unknown };
}
type Broken = Record<string, readonly (readonly string[])[]>;

const nearby = (file: string) => import(new URL(file, import.meta.url).href);
const { copyOf }: Copies = await nearby('./broken-copy.mjs');
const { storyOf }: Stories = await nearby('./in-process.mjs');
const brokenOf = async (app: string): Promise<Broken> => (await nearby(`./${app}/broken.mjs`)).BROKEN;

/** Whoever looks after a while looks once more, or not, where a machine is starved: so long none of these takes. */
const PATIENT: Broken = { publisher: [['await sleep(350);', 'await sleep(1500);']] };

/** Explores a copy of an application under one kind of deviation. */
async function explored(app: string, name: string, options: { only: string[] }) {
  const changes = name === 'correct' ? [] : ((await brokenOf(app))[name] ?? []);
  const copy = copyOf(app, `${name}, patient`, [...changes, ...(PATIENT[app] ?? [])]);
  const { story, probe, check } = storyOf(copy, await nearby(`./${app}/story.mjs`));
  // Few at a time: an app whose own patience ends on a starved machine shows what it does then, and not what is planted.
  const of = { ...options, probe, check, bound: 1, budget: 0, jobs: 8, noSaved: true };
  return explore(story, of).catch((error: unknown): ExploreReport => {
    if (error instanceof ExploreFindings) return error.report;
    throw error;
  });
}

it.each([
  ['chat', 'sends again after a lost answer', 'lost_answer', 'verdict'],
  ['chat', 'takes a cut stream for a whole one', 'cut:middle', 'check'],
  ['publisher', 'publishes twice', 'duplicate', 'probe'],
  ['publisher', 'verifies re-serialised JSON', 'spelled', 'receiver'],
  ['batch', 'keeps half a file', 'truncated', 'probe'],
])('finds what is wrong with the %s that %s, and nothing in the correct one [I240 I243]', async (...row) => {
  const [app, name, deviation, kind] = row;
  const found = await explored(app, name, { only: [deviation] });
  // The same bug may be told in another way at another step.
  const planted = { kind, schedule: [expect.objectContaining({ deviation })] };
  expect(found.findings).toContainEqual(expect.objectContaining(planted));
  const correct = await explored(app, 'correct', { only: [deviation] });
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
