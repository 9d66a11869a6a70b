import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { HEADERS, KEY } from './bench-chat.ts';
import { benchFolder } from './bench-folder.ts';
import type { BenchRow } from './bench-row.ts';
import { type Seen, type WatchedServer, watchedServer } from './watched-server.ts';

/** In milliseconds: of a reset or a restore, and of anything else. */
const [MOST_OF_STATE_MS, MOST_MS] = [250, 50];
/** Each is done so often, and its shortest hold counts. */
const TIMES = 3;
const AT_ONCE = 16;
const ASK_EVERY_MS = 10;
const JOBS = 5000;
const CHATS = 20_000;
const IMAGES = 5000;
const READERS = 200;
const LARGE = 50 * 1_048_576;
const CLIP = { model: 'vid_max5havc', resolution: '480p' };

/** A change of the whole state: what it needs, and the call that makes it. */
interface StateChange {
  fill(server: WatchedServer): Promise<void>;
  change(server: WatchedServer): Promise<void>;
}

const post = (server: WatchedServer, at: string, body: object = {}) => call(server, 'POST', at, body);
const advance = (server: WatchedServer) => post(server, '/_emulator/clock/advance', { seconds: 60 });
const reset = (server: WatchedServer) => post(server, '/_emulator/reset');

const CHANGES: Record<string, StateChange> = {
  '5,000 jobs due at once': { fill: orderDelayed, change: advance },
  '5,000 jobs released by a progression': {
    fill: orderHeld,
    change: (server) => call(server, 'PUT', '/_emulator/progression', { mode: 'render' }),
  },
  'reset of 5,000 open jobs': { fill: orderHeld, change: reset },
  'restore of 5,000 open jobs': {
    fill: snapshotHeld,
    change: (server) => post(server, '/_emulator/snapshots/bench/restore'),
  },
  'reset of 50,000 rows': { fill: fillRecord, change: reset },
  '200 slow readers of 50 MB': { fill: upload, change: readSlowly },
};

/** The longest that the event loop is held while the whole state changes, with a health request beside it every 10 ms. */
export async function stateHolds(wanted: string): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const [name, change] of Object.entries(CHANGES).filter(([name]) => name.includes(wanted))) {
    rows.push(await stateRow(name, change));
  }
  return rows;
}

async function stateRow(name: string, { fill, change }: StateChange): Promise<BenchRow> {
  const folder = benchFolder();
  const server = await watchedServer(path.join(folder, 'data'), '--credits', '100000000');
  const seen: (Seen & { took: number; health: number })[] = [];
  try {
    for (let time = 0; time < TIMES; time += 1) {
      await reset(server);
      await fill(server);
      seen.push(await watched(server, change));
    }
  } finally {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
  const least = (of: 'milliseconds' | 'processor' | 'took' | 'health') => Math.min(...seen.map((each) => each[of]));
  const beside = `processor ${least('processor').toFixed(0)} ms, health ${least('health').toFixed(0)} ms`;
  const most = /^re(?:set|store)/.test(name) ? MOST_OF_STATE_MS : MOST_MS;
  return {
    name,
    ours: `${least('milliseconds').toFixed(0)} ms`,
    theirs: `${most} ms (in ${least('took').toFixed(0)} ms, ${beside})`,
    ratio: least('milliseconds') / most,
    bar: '<= 1',
  };
}

async function watched(server: WatchedServer, change: StateChange['change']) {
  await server.seen();
  const asked = askHealth(server);
  const began = performance.now();
  await change(server);
  const took = performance.now() - began;
  await fetch(`${server.url}/_emulator/wait?for=idle&timeout=60`);
  const health = await asked.end();
  const { ok } = (await (await fetch(`${server.url}/_emulator/invariants`)).json()) as { ok: boolean };
  if (!ok) throw new Error('an invariant is broken');
  return { ...(await server.seen()), took, health };
}

/** Asks for the health every 10 ms, whether the last answer is there or not; `end` answers the longest wait, in ms. */
function askHealth({ url }: WatchedServer) {
  let longest = 0;
  const asked: Promise<void>[] = [];
  const ask = async () => {
    const began = performance.now();
    await (await fetch(`${url}/_emulator/health`)).arrayBuffer();
    longest = Math.max(longest, performance.now() - began);
  };
  const timer = setInterval(() => asked.push(ask()), ASK_EVERY_MS);
  return {
    async end() {
      clearInterval(timer);
      await Promise.all(asked);
      return longest;
    },
  };
}

async function orderDelayed(server: WatchedServer): Promise<void> {
  await call(server, 'PUT', '/_emulator/clock', { frozen: true });
  await subscribe(server);
  await many(JOBS, () => post(server, '/v1/videos/generations', { ...CLIP, prompt: 'a pier [[slow:60]]' }));
  await server.seen();
}

async function orderHeld(server: WatchedServer): Promise<void> {
  await call(server, 'PUT', '/_emulator/progression', { mode: 'manual' });
  await subscribe(server);
  await many(JOBS, () => post(server, '/v1/videos/generations', { ...CLIP, prompt: 'a pier' }));
  await server.seen();
}

async function snapshotHeld(server: WatchedServer): Promise<void> {
  await orderHeld(server);
  await fetch(`${server.url}/_emulator/snapshots/bench`, { method: 'DELETE' });
  await post(server, '/_emulator/snapshots', { name: 'bench' });
}

async function fillRecord(server: WatchedServer): Promise<void> {
  await subscribe(server);
  const messages = [{ role: 'user', content: 'Where does the path lead?' }];
  await many(CHATS, () => post(server, '/v1/chat/completions', { model: 'svc-rp-mini', messages }));
  await many(IMAGES, (n) => post(server, '/v1/images/generations', { prompt: `a pier ${n % 50}`, store: true }));
  await fetch(`${server.url}/_emulator/wait?for=idle&timeout=60`);
}

async function upload({ url }: WatchedServer): Promise<void> {
  const form = new FormData();
  form.set('file', new Blob([Buffer.alloc(LARGE, 'x')]), 'large.bin');
  const answer = await fetch(`${url}/v1/storage/objects`, { method: 'POST', headers: KEY, body: form });
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`the upload was answered ${answer.status}`);
}

/** Each takes a byte a second of the object, for three seconds, and hangs up. */
async function readSlowly({ url }: WatchedServer): Promise<void> {
  const { data } = (await (await fetch(`${url}/_emulator/objects`)).json()) as { data: { url: string }[] };
  const at = new URL(data[0]?.url ?? '', url);
  const readers: Socket[] = [];
  for (let reader = 0; reader < READERS; reader += 1) {
    const socket = connect(Number(at.port), at.hostname).on('error', () => undefined);
    socket.write(`GET ${at.pathname}${at.search} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
    await once(socket, 'readable');
    readers.push(socket);
  }
  for (let second = 0; second < 3; second += 1) {
    await pause(1000);
    for (const reader of readers) reader.read(1);
  }
  for (const reader of readers) reader.destroy();
}

function subscribe(server: WatchedServer): Promise<void> {
  const events = ['image.generation.succeeded', 'video.generation.succeeded'];
  return post(server, '/v1/webhooks', { url: `${server.url}/_emulator/inbox/bench`, events });
}

async function many(count: number, order: (n: number) => Promise<void>): Promise<void> {
  let next = 0;
  const one = async () => {
    while (next < count) {
      next += 1;
      await order(next);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
}

async function call({ url }: WatchedServer, method: string, at: string, body: object): Promise<void> {
  const answer = await fetch(url + at, { method, headers: HEADERS, body: JSON.stringify(body) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${at} was answered ${answer.status}: ${text}`);
}
