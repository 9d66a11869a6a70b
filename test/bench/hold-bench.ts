import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { against, type BenchRow, each, timed } from './bench-row.ts';
import { type BenchServer, CHAT, call, idle, KEY, many, post, withWatched } from './bench-server.ts';
import { hostileRequests } from './hostile-requests.ts';

/** Each is done so often, and its shortest hold counts: others on the machine only lengthen it. */
const TIMES = 3;
const MIB = 1_048_576;
/** In milliseconds: a request with a body of up to 4 MiB; a larger one, a reset, a restore, and the export of a trace. */
const [MAX_MS, MAX_OF_LARGE_MS] = [50, 250];
const LARGE = 4 * MIB;
const MAX_OF_TRACE_MIB = 200;

/** What may hold the event loop of a server. */
interface Hold {
  name: string;
  mostMs: number;
  /** Done again before each time, and not measured. */
  fill?(server: BenchServer): Promise<void>;
  /** Returns what the row says next to the time. */
  act(server: BenchServer): Promise<string>;
  /** MiB above idle at most. */
  mostMib?: number;
  /** Its row says what it took of the processor, and how long the health was waited for meanwhile. */
  isWhole?: boolean;
}

/** Holds that are measured on the same server, after what fills it. */
interface Group {
  holds: readonly Hold[];
  fill?(server: BenchServer): Promise<void>;
}

/** The longest that the event loop is held by each of the worst requests, alone, collection included; `HOLD` narrows it. */
export async function holdBench(): Promise<BenchRow[]> {
  const wanted = process.env.HOLD ?? '';
  const rows = await each(GROUPS, async ({ holds, fill }) => {
    const chosen = holds.filter(({ name }) => name.includes(wanted));
    if (chosen.length === 0) return [];
    return withWatched(['--credits', '100000000'], async (server) => {
      await fill?.(server);
      return (await each(chosen, (hold) => rowsOf(server, hold))).flat();
    });
  });
  return rows.flat();
}

async function rowsOf(server: BenchServer, { name, mostMs, fill, act, mostMib, isWhole }: Hold): Promise<BenchRow[]> {
  const runs = await each(TIMES, async () => {
    if (fill) {
      await reset(server);
      await fill(server);
    }
    const { rss: idleMib } = await server.seen();
    const health = isWhole ? askHealth(server) : undefined;
    let said = '';
    const took = await timed(async () => {
      said = await act(server);
    });
    // What is collected later is its doing too.
    await idle(server);
    const longestWait = (await health?.end()) ?? 0;
    const seen = await server.seen();
    return { ...seen, said, took, health: longestWait, grown: seen.peak - idleMib };
  });
  const least = (of: 'milliseconds' | 'processor' | 'took' | 'health') => Math.min(...runs.map((run) => run[of]));
  const more = isWhole
    ? `, processor ${least('processor').toFixed(0)} ms, health ${least('health').toFixed(0)} ms`
    : '';
  const row = against(name, { ours: least('milliseconds'), theirs: mostMs, bar: '<= 1', unit: ' ms' });
  const said = runs.at(-1)?.said ?? '';
  const held = { ...row, theirs: `${row.theirs} (in ${least('took').toFixed(0)} ms${more}${said && `, ${said}`})` };
  if (mostMib === undefined) return [held];
  const grown = Math.max(...runs.map((run) => run.grown));
  return [held, against(`${name}, memory above idle`, { ours: grown, theirs: mostMib, bar: '<= 1', unit: ' MiB' })];
}

/** Asks for the health every 10 ms, whether the last answer is there or not; `end` answers the longest wait, in ms. */
function askHealth({ url }: BenchServer) {
  const asked: Promise<number>[] = [];
  const timer = setInterval(() => asked.push(timed(() => call(`${url}/_emulator/health`))), 10);
  return {
    async end() {
      clearInterval(timer);
      return Math.max(0, ...(await Promise.all(asked)));
    },
  };
}

/** Requests that are meant to hold up everybody else. */
const HOSTILE: Hold[] = hostileRequests().map(({ name, path, body }) => ({
  name,
  mostMs: bytesOf(body) > LARGE ? MAX_OF_LARGE_MS : MAX_MS,
  async act({ url }) {
    const typed: Record<string, string> = body instanceof FormData ? {} : { 'content-type': 'application/json' };
    const sent = body instanceof FormData ? body : new Uint8Array(body);
    const answer = await fetch(url + path, { method: 'POST', headers: { ...KEY, ...typed }, body: sent });
    await answer.arrayBuffer();
    return `answered ${answer.status}`;
  },
}));

function bytesOf(body: Buffer | FormData): number {
  if (!(body instanceof FormData)) return body.length;
  return [...body.values()].reduce((sum, value) => sum + (typeof value === 'string' ? value.length : value.size), 0);
}

const words = (q: string) => `q=${encodeURIComponent(q)}`;
const search = (q: string, more = '') => `/_emulator/search?${words(q)}${more}`;

/** Reads of all that is on record, and of its largest pages; `{accounts}` and the like are the newest of their lists. */
const READS: Record<string, string> = {
  'the verdict of 8,000 chats of 30 KB': '/_emulator/verdict',
  'the same, of one account': '/_emulator/verdict?account_id={accounts}',
  'a search for two letters that are nowhere': search('qz'),
  'a search for twenty letters': search([...'qzjxkvbpygfwmucldrhs'].join(' ')),
  'a search for a word that is everywhere': search('path'),
  'a search for a word that is nowhere': search('zeppelin'),
  'a search for two words that never meet': search('where harbour'),
  'a search with an account': search('qz', '&account_id={accounts}'),
  'a search with an account by name': search('account:local zeppelin'),
  'a search with every trait': search('is:failed is:done is:open has:refund has:job has:charge is:refused zeppelin'),
  'a search whose nearest are dear': search('path status:200 model:svc-rp-mni is:done lead zeppelin where does'),
  'requests, a page': '/_emulator/requests',
  'requests in brief, a page': '/_emulator/requests?brief=true&limit=1000',
  'requests with a text that is nowhere': '/_emulator/requests?text=zeppelin',
  'requests of a path that is nowhere': '/_emulator/requests?path=/v1/nowhere',
  'orders, a page': '/_emulator/orders?limit=1000',
  'orders, searched': `/_emulator/orders?limit=1000&${words('path')}`,
  'jobs, a page': '/_emulator/jobs?limit=1000',
  'jobs, searched': `/_emulator/jobs?limit=1000&${words('pier')}`,
  'events, a page': '/_emulator/events?limit=1000',
  'deliveries, a page': '/_emulator/deliveries?limit=1000',
  'ledger entries, a page': '/_emulator/accounts/{accounts}/usage?limit=1000',
  'the sums of an account': '/_emulator/spending?account_id={accounts}',
  'the spending of all': '/_emulator/spending',
  'the library, a page': '/_emulator/library?limit=1000',
  'the library, searched': `/_emulator/library?limit=1000&text=zeppelin`,
  'the objects, a page': '/_emulator/objects?limit=1000',
  'the audit log, a page': '/_emulator/record?limit=1000',
  'the invariants': '/_emulator/invariants',
  'the OpenAPI document': '/openapi.json',
  'the events of an order': '/_emulator/timeline/{jobs}',
  'an order explained': '/_emulator/explain/{requests}',
};

function readOf([name, read]: [string, string]): Hold {
  return {
    name,
    mostMs: MAX_MS,
    async act({ url }) {
      const [word, list] = /\{(\w+)\}/.exec(read) ?? [];
      const newest = list && (await call<{ data: { id: string }[] }>(`${url}/_emulator/${list}?limit=1`)).data[0]?.id;
      const answer = await fetch(url + (word && newest ? read.replace(word, newest) : read));
      await answer.arrayBuffer();
      if (!answer.ok) throw new Error(`${read} was answered ${answer.status}`);
      return '';
    },
  };
}

/** 8,000 chats of 30 KB, and 1,000 pictures with their events. */
async function fillRecord(server: BenchServer): Promise<void> {
  await subscribe(server);
  await many(
    9000,
    (n) => {
      const content = `${n} ${'Where does the path lead? '.repeat(1150)}`;
      return n % 9 === 0 ? order(server, 'images', { prompt: `a pier ${n}` }) : chat(server, content);
    },
    8,
  );
  await idle(server);
  // Once it is answered, all is indexed.
  await call(server.url + search('path'));
}

const line = (text: string) => ({ at: 0, from: 'out', text });

const TRACES: Record<string, object> = {
  'a trace of a full record': {},
  'the same, 100 secrets': { secrets: Array.from({ length: 100 }, (_, n) => `s3cret-${n}-of-the-bench`) },
  'the same, 1,000 secrets of 200 characters': {
    secrets: Array.from({ length: 1000 }, (_, n) => `${n}`.padEnd(200, `${n}-secret-`)),
  },
  'the same, a secret of four backslashes and a line of 400': {
    secrets: ['\\\\\\\\server\\share'],
    output: [line('\\'.repeat(400))],
  },
  'the same, 19,000 lines of output': { output: Array.from({ length: 19_000 }, () => line('word '.repeat(300))) },
};

function traceOf([name, body]: [string, object]): Hold {
  return {
    name,
    mostMs: MAX_OF_LARGE_MS,
    mostMib: MAX_OF_TRACE_MIB,
    async act({ url }) {
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(`${url}/_emulator/trace`, { method: 'POST', headers, body: JSON.stringify(body) });
      if (!answer.ok) throw new Error(`the trace was answered ${answer.status}: ${await answer.text()}`);
      let bytes = 0;
      for await (const chunk of answer.body ?? []) bytes += chunk.length;
      return `${(bytes / MIB).toFixed(1)} MiB`;
    },
  };
}

/** More requests than a trace has room for, each as long as it is kept. */
async function fillTrace(server: BenchServer): Promise<void> {
  await many(4000, (n) => chat(server, `${n} ${'Where does the path lead? '.repeat(630)}`), 8);
  await idle(server);
}

const JOBS = 5000;
const READERS = 200;
const CLIP = { model: 'vid_max5havc', resolution: '480p' };

/** Changes of the whole state. */
const CHANGES: Record<string, Pick<Hold, 'fill'> & { change(server: BenchServer): Promise<unknown> }> = {
  '5,000 jobs due at once': {
    fill: (server) => orderClips(server, { path: 'clock', body: { frozen: true }, prompt: 'a pier [[slow:60]]' }),
    change: ({ url }) => post(`${url}/_emulator/clock/advance`, { seconds: 60 }),
  },
  '5,000 jobs released by a progression': {
    fill: orderHeld,
    change: ({ url }) => call(`${url}/_emulator/progression`, { method: 'PUT', body: { mode: 'render' } }),
  },
  'reset of 5,000 open jobs': { fill: orderHeld, change: reset },
  'restore of 5,000 open jobs': {
    async fill(server) {
      await orderHeld(server);
      await fetch(`${server.url}/_emulator/snapshots/bench`, { method: 'DELETE' });
      await post(`${server.url}/_emulator/snapshots`, { name: 'bench' });
    },
    change: ({ url }) => post(`${url}/_emulator/snapshots/bench/restore`),
  },
  'reset of 50,000 rows': {
    async fill(server) {
      await subscribe(server);
      await many(20_000, () => post(`${server.url}/v1/chat/completions`, CHAT));
      await many(5000, (n) => order(server, 'images', { prompt: `a pier ${n % 50}`, store: true }));
      await idle(server);
    },
    change: reset,
  },
  '200 slow readers of 50 MB': { fill: upload, change: readSlowly },
};

function changeOf([name, { fill, change }]: [string, (typeof CHANGES)[string]]): Hold {
  return {
    name,
    mostMs: /^re(?:set|store)/.test(name) ? MAX_OF_LARGE_MS : MAX_MS,
    isWhole: true,
    fill,
    async act(server) {
      await change(server);
      const { ok } = await call<{ ok: boolean }>(`${server.url}/_emulator/invariants`);
      if (!ok) throw new Error('an invariant is broken');
      return '';
    },
  };
}

const GROUPS: readonly Group[] = [
  { holds: HOSTILE },
  { holds: Object.entries(READS).map(readOf), fill: fillRecord },
  { holds: Object.entries(TRACES).map(traceOf), fill: fillTrace },
  { holds: Object.entries(CHANGES).map(changeOf) },
];

function reset({ url }: BenchServer): Promise<void> {
  return post(`${url}/_emulator/reset`);
}

function chat({ url }: BenchServer, content: string): Promise<void> {
  return post(`${url}/v1/chat/completions`, { model: 'svc-rp-mini', messages: [{ role: 'user', content }] });
}

function order({ url }: BenchServer, medium: string, body: object): Promise<void> {
  return post(`${url}/v1/${medium}/generations`, body);
}

function subscribe({ url }: BenchServer): Promise<void> {
  const events = ['image.generation.succeeded', 'video.generation.succeeded'];
  return post(`${url}/v1/webhooks`, { url: `${url}/_emulator/inbox/bench`, events });
}

function orderHeld(server: BenchServer): Promise<void> {
  return orderClips(server, { path: 'progression', body: { mode: 'manual' }, prompt: 'a pier' });
}

async function orderClips(server: BenchServer, { path, body, prompt }: { path: string; body: object; prompt: string }) {
  await call(`${server.url}/_emulator/${path}`, { method: 'PUT', body });
  await subscribe(server);
  await many(JOBS, () => order(server, 'videos', { ...CLIP, prompt }));
}

async function upload({ url }: BenchServer): Promise<void> {
  const form = new FormData();
  form.set('file', new Blob([Buffer.alloc(50 * MIB, 'x')]), 'large.bin');
  const answer = await fetch(`${url}/v1/storage/objects`, { method: 'POST', headers: KEY, body: form });
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`the upload was answered ${answer.status}`);
}

/** Each takes a byte a second of the object, for three seconds, and hangs up. */
async function readSlowly({ url }: BenchServer): Promise<void> {
  const { data } = await call<{ data: { url: string }[] }>(`${url}/_emulator/objects`);
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
