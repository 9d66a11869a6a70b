import { afterAll, expect, it } from 'vitest';
import { explore, type StoryParts } from '../src/index.ts';
import { type ExecutedLines, executedLines } from './support/executed-files.ts';
import { LiveListener } from './support/live-listener.ts';
import { openReceiver } from './support/receiver.ts';
import { loadedWith, sources } from './support/sources.ts';
import { OWN_RENDERS, world } from './support/world.ts';

/**
 * How much of `src` a reader opens to follow a story to its end. `files`: those of which the main thread runs a function,
 * beyond the evaluation of the module; of explore, its own and the client's among them; of a page, those that are loaded
 * with it, types and styles apart. `opened`: the lines of these files. `run`: the lines of the functions that ran.
 * A ceiling may only fall. `npm run stories` prints the files.
 */
const CEILINGS = {
  'POST /v1/images/generations to its delivered webhook': { files: 51, opened: 8_668, run: 2_851 },
  'POST /_emulator/faults': { files: 21, opened: 3_818, run: 1_073 },
  'a song of two takes to its delivered webhooks': { files: 56, opened: 9_533, run: 3_260 },
  'one schedule of explore': { files: 26, opened: 4_646, run: 1_550 },
  'the money page': { files: 12, opened: 2_785, run: 0 },
};

type Story = keyof typeof CEILINGS;

/**
 * What goes on beside a story, of which it is no part: the index of the search, filled 400 ms after a request at the
 * earliest, and the removal of folders that killed emulators left behind, which looks at those of all tests.
 */
const BESIDE =
  /^(control\/search\/|base\/clock\/(clock-marks|virtual-clock)\.ts|engine\/journal\/(journal-(reader|record)|recorded-requests-store)\.ts|base\/database\/open-sqlite\.ts|engine\/storage\/data-folder\.ts)/;

// As a started emulator renders: in threads of its own.
const emulator = await world({}, OWN_RENDERS);
const receiver = await openReceiver();
const feed = await LiveListener.join(emulator);
afterAll(() => feed.leave());
const account = await emulator.account({ credits: 500 });
await account.post('/webhooks', {
  url: receiver.origin,
  events: ['image.generation.succeeded', 'music.generation.succeeded'],
});
await feed.requests(1);

/** What four repetitions have in common, after a first one that loads what is loaded late: no timer that ends by chance. */
async function followed(tell: (n: number) => Promise<void>): Promise<ExecutedLines> {
  await tell(0);
  let common = await executedLines(() => tell(1));
  for (const n of [2, 3, 4]) {
    const again = await executedLines(() => tell(n));
    common = new Map(
      [...common].flatMap(([file, lines]) => {
        const others = again.get(file);
        return others ? [[file, new Set([...lines].filter((line) => others.has(line)))]] : [];
      }),
    );
  }
  return new Map([...common].filter(([file]) => !BESIDE.test(file)));
}

/** Orders, and reads the live feed until the request is on record and its events are delivered. */
async function delivered(path: string, order: object, events: number): Promise<void> {
  const { status } = await account.post(path, order);
  expect(status).toBeLessThan(300);
  const seen = { requests: 0, deliveries: 0 };
  while (seen.requests < 1 || seen.deliveries < events) {
    const { data } = await feed.next('batch');
    seen.requests += data.requests.length;
    seen.deliveries += data.notices.filter(({ kind }: { kind: string }) => kind === 'delivery').length;
  }
}

/** The lines that run were counted on Node 20: later versions of V8 count lines as run that it leaves out. */
const COUNTS_RUN = Number.parseInt(process.versions.node, 10) === 20;

const lengths = new Map(sources.map(({ name, text }) => [name, text.split('\n').length - 1]));

function expectAtMost(story: Story, executed: ExecutedLines): void {
  const most = CEILINGS[story];
  const seen = { files: executed.size, opened: 0, run: 0 };
  const listed: string[] = [];
  for (const [file, { size: run }] of [...executed].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    const opened = lengths.get(file) ?? 0;
    seen.opened += opened;
    seen.run += run;
    listed.push(`  ${file}: ${run} of ${opened}`);
  }
  const summary = (['files', 'opened', 'run'] as const).map((key) => `${seen[key]} ${key} (at most ${most[key]})`);
  const list = `${story}: ${summary.join(', ')}\n${listed.join('\n')}\n`;
  if (process.env.STORIES) process.stdout.write(`\n${list}`);
  expect(seen.files).toBeGreaterThan(0);
  expect(seen.files, list).toBeLessThanOrEqual(most.files);
  expect(seen.opened, list).toBeLessThanOrEqual(most.opened);
  if (COUNTS_RUN) expect(seen.run, list).toBeLessThanOrEqual(most.run);
}

it('follows an image to its delivered webhook through few files', async () => {
  const executed = await followed((n) => delivered('/images/generations', { prompt: `a barn ${n}` }, 1));
  expectAtMost('POST /v1/images/generations to its delivered webhook', executed);
});

it('follows a song of two takes to its delivered webhooks through few files', async () => {
  const executed = await followed((n) =>
    delivered('/music/generations', { prompt: `a waltz ${n}`, seconds: 30, n: 2 }, 2),
  );
  expectAtMost('a song of two takes to its delivered webhooks', executed);
});

it('follows a control call through few files', async () => {
  const executed = await followed(async (n) => {
    const match = { path: '/v1/models', nth: n + 1 };
    const { status, body } = await emulator.control('POST', '/faults', { match, effect: { status: 503 } });
    expect(status, JSON.stringify(body)).toBe(201);
  });
  expectAtMost('POST /_emulator/faults', executed);
});

/** Asks for a chat until there is an answer. */
async function chat({ emulator, account }: Pick<StoryParts, 'emulator' | 'account'>): Promise<void> {
  const headers = { authorization: `Bearer ${account.apiKey}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ model: 'svc-rp-mini', messages: [{ role: 'user', content: 'Hello.' }] });
  const { ok } = await fetch(`${emulator.baseUrl}/chat/completions`, { method: 'POST', headers, body });
  if (!ok) await chat({ emulator, account });
}

it('follows one schedule of explore through few files', async () => {
  const loaded = loadedWith('check/app/explore-function.ts');
  const isOfExplore = (file: string) => /^(check|client)\//.test(file) || loaded.includes(file);
  const executed = await followed(async () => {
    const { schedules_run } = await explore(chat, { only: ['status:500'], bound: 1, budget: 0, schedules: 1 });
    expect(schedules_run).toBe(1);
  });
  expectAtMost('one schedule of explore', new Map([...executed].filter(([file]) => isOfExplore(file))));
});

it('loads the money page with few files', () => {
  const files = loadedWith('dashboard/page/money/money-page.tsx');
  expectAtMost('the money page', new Map(files.map((file) => [file, new Set()])));
});
