import { rm } from 'node:fs/promises';
import { setInterval } from 'node:timers/promises';
import autocannon from 'autocannon';
import type { Page } from 'playwright-core';
import { CHAT, HEADERS } from './bench-chat.ts';
import { benchFolder } from './bench-folder.ts';
import { coldStart, framesDuring, memoryOfPage, openBrowser, openDashboard } from './bench-page.ts';
import { atMost, type BenchRow, median } from './bench-row.ts';
import { ourServer } from './bench-server.ts';
import { firstPageScripts } from './first-page-scripts.ts';
import { fillJournal, REQUESTS, SEARCHES, searchBench } from './search-bench.ts';

const STARTS = 5;
const ROUNDS = 5;
const CREDITS = ['--credits', '1000000000'];
const ASKED = { method: 'POST', headers: HEADERS, body: JSON.stringify(CHAT) } as const;

/** The dashboard in a real Chromium: how soon it is there, how smoothly it lives, and what it costs. */
export async function dashboardBench(): Promise<BenchRow[]> {
  const rows = [...(await startRows()), ...(await lifeRows()), ...(await fullRows())];
  return [...rows, await costRow(), ...(await searchBench())];
}

/** Its first page from an empty cache, on a processor four times slower, and how much script that is. */
export async function startRows(): Promise<BenchRow[]> {
  const server = await ourServer();
  const browser = await openBrowser();
  const url = server.urls[0] ?? '';
  try {
    await coldStart(browser, url);
    const runs = [];
    for (let run = 0; run < STARTS; run += 1) runs.push(await coldStart(browser, url));
    const scripts = await firstPageScripts(url, 'br');
    const weight = scripts.reduce((sum, { bytes }) => sum + bytes, 0) / 1000;
    return [
      atMost('dashboard, first paint ms, cold, slowed 4 times', median(runs.map(({ painted }) => painted)), 500),
      atMost(
        'dashboard, interactive ms, cold, slowed 4 times',
        median(runs.map(({ interactive }) => interactive)),
        1000,
      ),
      atMost('dashboard, kB of packed script for its first page', weight, 120),
    ];
  } finally {
    await browser.close();
    await server.close();
  }
}

/** Its list of requests while 500 a second come in, and what it holds after 10,000. */
export async function lifeRows(): Promise<BenchRow[]> {
  const server = await ourServer(...CREDITS);
  const browser = await openBrowser();
  const url = server.urls[0] ?? '';
  try {
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
  } finally {
    await browser.close();
    await server.close();
  }
}

/** Over a full record of requests, while 500 more a second come in: its frames, its memory, and what its searches take. */
export async function fullRows(): Promise<BenchRow[]> {
  const folder = benchFolder();
  const flags = [...CREDITS, '--data-dir', folder];
  await (await ourServer(...flags)).close();
  fillJournal(folder);
  const server = await ourServer(...flags);
  const browser = await openBrowser();
  const url = server.urls[0] ?? '';
  try {
    await browser.newPage();
    const blank = await memoryOfPage(browser);
    const page = await openDashboard(browser, url);
    await page.getByRole('row').nth(5).waitFor();
    const search = await slowestSearch(page);
    const frames = await framesDuring(page, () => pacedChats(url, 500, 20));
    const held = await memoryOfPage(browser);
    const at = (share: number) => frames[Math.floor(frames.length * share)] ?? Number.NaN;
    const over = `dashboard over ${REQUESTS} requests and 500/s`;
    const told = `of its own (${held.resident.toFixed(0)} resident; a blank page: ${blank.own.toFixed(0)}, ${blank.resident.toFixed(0)})`;
    return [
      atMost(`${over}, p50 frame ms`, at(0.5), 50),
      atMost(`${over}, p99 frame ms`, at(0.99), 50),
      atMost(`${over}, longest frame ms`, frames.at(-1) ?? Number.NaN, 50),
      atMost(`${over}, MiB ${told}`, held.own, 150),
      atMost(`${over}, ms of its slowest search`, search, 100),
    ];
  } finally {
    await browser.close();
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The median of each kind of search, as the page asks for it; the longest of them. */
async function slowestSearch(page: Page): Promise<number> {
  const medians: number[] = [];
  for (const q of SEARCHES) {
    const path = `/_emulator/search?limit=100&q=${encodeURIComponent(q)}`;
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) times.push(await page.evaluate<number>(TIMED(path)));
    medians.push(median(times));
  }
  return Math.max(...medians);
}

const TIMED = (path: string) =>
  `(async () => { const began = performance.now(); await (await fetch(${JSON.stringify(path)})).json(); return performance.now() - began; })()`;

/** Chat with a dashboard that looks on against chat with none, on two emulators, in turns. */
export async function costRow(): Promise<BenchRow> {
  const [watched, alone] = [await ourServer(...CREDITS), await ourServer(...CREDITS)];
  const browser = await openBrowser();
  try {
    await openDashboard(browser, watched.urls[0] ?? '');
    const pairs: { ours: number; theirs: number }[] = [];
    for (let round = 0; round <= ROUNDS; round += 1) {
      const theirs = await chats(alone.urls[0] ?? '', 2);
      pairs.push({ theirs, ours: await chats(watched.urls[0] ?? '', 2) });
    }
    // The first round warms both.
    const counted = pairs.slice(1);
    return {
      name: 'chat requests/s with an open dashboard (share of without)',
      ours: median(counted.map(({ ours }) => ours)).toFixed(0),
      theirs: median(counted.map(({ theirs }) => theirs)).toFixed(0),
      ratio: median(counted.map(({ ours, theirs }) => ours / theirs)),
      bar: '>= 0.9',
    };
  } finally {
    await browser.close();
    await Promise.all([watched.close(), alone.close()]);
  }
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

/** Requests a second that were answered, as fast as may be. */
async function chats(url: string, duration: number): Promise<number> {
  const target = `${url}/v1/chat/completions`;
  const { requests, non2xx, errors } = await autocannon({
    ...ASKED,
    ...{ url: target, connections: 16, duration },
  });
  if (non2xx > 0 || errors > 0) throw new Error(`${non2xx} answers were not 2xx at ${target}`);
  return requests.average;
}
