import { setInterval } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { coldStart, framesDuring, memoryOfPage, openBrowser, openDashboard } from './bench-page.ts';
import { against, atMost, type BenchRow, each, inTurns, median } from './bench-row.ts';
import { CHAT, chats, during, HEADERS, RICH, serverAt, withFolder, withServer } from './bench-server.ts';
import { firstPageScripts } from './first-page-scripts.ts';
import { fillJournal, REQUESTS, SEARCHES } from './search-bench.ts';

const STARTS = 5;
const ROUNDS = 5;
const ASKED = { method: 'POST', headers: HEADERS, body: JSON.stringify(CHAT) } as const;

async function withBrowser<T>(act: (browser: Browser) => Promise<T>): Promise<T> {
  const browser = await openBrowser();
  try {
    return await act(browser);
  } finally {
    await browser.close();
  }
}

/** Its first page from an empty cache, on a processor four times slower, and how much script that is. */
export function startRows(): Promise<BenchRow[]> {
  return withServer([], ({ url }) =>
    withBrowser(async (browser) => {
      const [, ...starts] = await each(STARTS + 1, () => coldStart(browser, url));
      const scripts = await firstPageScripts(url, 'br');
      const weight = scripts.reduce((sum, { bytes }) => sum + bytes, 0) / 1000;
      const of = (what: 'painted' | 'interactive') => median(starts.map((start) => start[what]));
      return [
        atMost('dashboard, first paint ms, cold, slowed 4 times', of('painted'), 500),
        atMost('dashboard, interactive ms, cold, slowed 4 times', of('interactive'), 1000),
        atMost('dashboard, kB of packed script for its first page', weight, 120),
      ];
    }),
  );
}

/** Its list of requests while 500 a second come in, and what it holds after 10,000. */
export function lifeRows(): Promise<BenchRow[]> {
  return withServer(RICH, ({ url }) =>
    withBrowser(async (browser) => {
      const page = await openDashboard(browser, url);
      const frames = await framesDuring(page, () => pacedChats(url, 500, 8));
      const p99 = frames[Math.floor(frames.length * 0.99)] ?? Number.NaN;
      await pacedChats(url, 1000, 8);
      const shown = await page.getByText(/^12,000 requests/).textContent();
      if (shown?.includes('too fast')) throw new Error(`The list has not got all: ${shown}`);
      return [
        atMost('dashboard, p99 frame ms at 500 requests/s', p99, 50),
        atMost('dashboard, MiB of its own after 10,000 requests', (await memoryOfPage(browser)).own, 150),
      ];
    }),
  );
}

/** Over a full record of requests, while 500 more a second come in: its frames, its memory, and what its searches take. */
export function fullRows(): Promise<BenchRow[]> {
  return withFolder(async (folder) => {
    await (await serverAt(folder, ...RICH)).close();
    fillJournal(folder);
    return during(await serverAt(folder, ...RICH), ({ url }) => withBrowser((browser) => fullPage(browser, url)));
  });
}

async function fullPage(browser: Browser, url: string): Promise<BenchRow[]> {
  await browser.newPage();
  const blank = await memoryOfPage(browser);
  const page = await openDashboard(browser, url);
  await page.getByRole('row').nth(5).waitFor();
  const search = await slowestSearch(page);
  const frames = await framesDuring(page, () => pacedChats(url, 500, 20));
  const held = await memoryOfPage(browser);
  const at = (share: number) => frames[Math.floor(frames.length * share)] ?? Number.NaN;
  const over = `dashboard over ${REQUESTS} requests and 500/s`;
  const beside = `of its own (${held.resident.toFixed(0)} resident; a blank page: ${blank.own.toFixed(0)}, ${blank.resident.toFixed(0)})`;
  return [
    atMost(`${over}, p50 frame ms`, at(0.5), 50),
    atMost(`${over}, p99 frame ms`, at(0.99), 50),
    atMost(`${over}, longest frame ms`, frames.at(-1) ?? Number.NaN, 50),
    atMost(`${over}, MiB ${beside}`, held.own, 150),
    atMost(`${over}, ms of its slowest search`, search, 100),
  ];
}

/** The median of each kind of search, as the page asks for it; the longest of them. */
async function slowestSearch(page: Page): Promise<number> {
  const times = await each(SEARCHES, async (q) => {
    const path = `/_emulator/search?limit=100&q=${encodeURIComponent(q)}`;
    return median(await each(ROUNDS, () => page.evaluate<number>(TIMED(path))));
  });
  return Math.max(...times);
}

const TIMED = (path: string) =>
  `(async () => { const began = performance.now(); await (await fetch(${JSON.stringify(path)})).json(); return performance.now() - began; })()`;

/** Chat with a dashboard that looks on against chat with none, on two emulators, in turns. */
export function costRows(): Promise<BenchRow[]> {
  return withServer(RICH, (watched) =>
    withServer(RICH, (alone) =>
      withBrowser(async (browser) => {
        await openDashboard(browser, watched.url);
        const load = { duration: 2, connections: 16 };
        const rates = { ours: () => chats(watched.url, load), theirs: () => chats(alone.url, load) };
        const rounds = await inTurns(rates, ROUNDS);
        const of = (side: keyof typeof rates) => median(rounds.map((round) => round[side]));
        const name = 'chat requests/s with an open dashboard (share of without)';
        const row = against(name, { ours: of('ours'), theirs: of('theirs'), bar: '>= 0.9' });
        return [{ ...row, ratio: median(rounds.map(({ ours, theirs }) => ours / theirs)) }];
      }),
    ),
  );
}

/** So many a second, evenly: every fiftieth of a second a few. */
async function pacedChats(url: string, rate: number, seconds: number): Promise<void> {
  const sent: Promise<ArrayBuffer>[] = [];
  for await (const _ of setInterval(20)) {
    for (let n = 0; n < rate / 50; n += 1) {
      sent.push(fetch(`${url}/v1/chat/completions`, ASKED).then((answer) => answer.arrayBuffer()));
    }
    if (sent.length >= rate * seconds) break;
  }
  await Promise.all(sent);
}
