import { setInterval } from 'node:timers/promises';
import autocannon from 'autocannon';
import { coldStart, framesDuring, memoryOfPage, openBrowser, openDashboard } from './bench-page.ts';
import { type BenchRow, median } from './bench-row.ts';
import { ourServer } from './bench-server.ts';
import { firstPageScripts } from './first-page-scripts.ts';
import { searchBench } from './search-bench.ts';

const STARTS = 5;
const ROUNDS = 5;
const CREDITS = ['--credits', '1000000000'];
const CHAT = {
  method: 'POST',
  headers: {
    authorization: 'Bearer svc_sk_local_emulator',
    'content-type': 'application/json',
  },
  body: JSON.stringify({
    model: 'svc-rp-mini',
    messages: [{ role: 'user', content: 'Where does the road lead?' }],
  }),
} as const;

/** The dashboard in a real Chromium: how soon it is there, how smoothly it lives, and what it costs. */
export async function dashboardBench(): Promise<BenchRow[]> {
  return [...(await startRows()), ...(await lifeRows()), await costRow(), ...(await searchBench())];
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
    const shown = await page.getByText(/^10,000 requests/).textContent();
    if (shown?.includes('too fast')) throw new Error(`The list has not got all: ${shown}`);
    return [
      atMost('dashboard, p99 frame ms at 500 requests/s', p99, 50),
      atMost('dashboard, MiB of its process after 10,000 requests', await memoryOfPage(browser), 250),
    ];
  } finally {
    await browser.close();
    await server.close();
  }
}

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
      sent.push(fetch(`${url}/v1/chat/completions`, CHAT).then((answer) => answer.arrayBuffer()));
    }
    if (sent.length >= rate * seconds) break;
  }
  await Promise.all(sent);
}

/** Requests a second that were answered, as fast as may be. */
async function chats(url: string, duration: number): Promise<number> {
  const target = `${url}/v1/chat/completions`;
  const { requests, non2xx, errors } = await autocannon({
    ...CHAT,
    ...{ url: target, connections: 16, duration },
  });
  if (non2xx > 0 || errors > 0) throw new Error(`${non2xx} answers were not 2xx at ${target}`);
  return requests.average;
}

function atMost(name: string, ours: number, bound: number): BenchRow {
  return {
    ...{ name, ours: ours.toFixed(ours < 100 ? 1 : 0), theirs: `at most ${bound}` },
    ...{ ratio: ours / bound, bar: '<= 1' },
  };
}
