import { rm } from 'node:fs/promises';
import path from 'node:path';
import { benchFolder } from './bench-folder.ts';
import type { BenchRow } from './bench-row.ts';
import { type HostileRequest, hostileRequests } from './hostile-requests.ts';
import { readHolds } from './read-hold-bench.ts';
import { stateHolds } from './state-hold-bench.ts';
import { traceHolds } from './trace-hold-bench.ts';
import { type Seen, type WatchedServer, watchedServer } from './watched-server.ts';

/** Each is sent so often, and its shortest hold counts: others on the machine only lengthen it. */
const TIMES = 3;
const MIB = 1_048_576;
/** In milliseconds: how long a request may hold the event loop, with a body of up to 4 MiB and with a larger one. */
const [MOST_MS, MOST_OF_LARGE_MS] = [50, 250];
const LARGE = 4 * MIB;

/** The longest that the event loop is held by each of the worst requests, alone, collection included. */
export async function holdBench(): Promise<BenchRow[]> {
  const folder = benchFolder();
  const server = await watchedServer(path.join(folder, 'data'), '--credits', '1000000');
  try {
    const wanted = process.env.HOLD ?? '';
    const rows: BenchRow[] = [];
    for (const request of hostileRequests().filter(({ name }) => name.includes(wanted))) {
      rows.push(await row(server, request));
    }
    return [...rows, ...(await readHolds(wanted)), ...(await traceHolds(wanted)), ...(await stateHolds(wanted))];
  } finally {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function row({ url, ...server }: WatchedServer, request: HostileRequest): Promise<BenchRow> {
  const seen: Seen[] = [];
  let answered = 0;
  for (let time = 0; time < TIMES; time += 1) {
    await server.seen();
    answered = await send(url, request);
    // What is collected later is its doing too.
    await fetch(`${url}/_emulator/wait?for=idle&timeout=60`);
    seen.push(await server.seen());
  }
  const milliseconds = Math.min(...seen.map((each) => each.milliseconds));
  const most = bytesOf(request.body) > LARGE ? MOST_OF_LARGE_MS : MOST_MS;
  const rss = Math.max(...seen.map((each) => each.rss));
  return {
    name: request.name,
    ours: `${milliseconds.toFixed(0)} ms`,
    theirs: `${most} ms (${answered}, ${rss.toFixed(0)} MiB)`,
    ratio: milliseconds / most,
    bar: '<= 1',
  };
}

async function send(url: string, { path: at, body }: HostileRequest): Promise<number> {
  const typed: Record<string, string> = body instanceof FormData ? {} : { 'content-type': 'application/json' };
  const answer = await fetch(url + at, {
    method: 'POST',
    headers: { authorization: 'Bearer svc_sk_local_emulator', ...typed },
    body: body instanceof FormData ? body : new Uint8Array(body),
  });
  await answer.arrayBuffer();
  return answer.status;
}

function bytesOf(body: HostileRequest['body']): number {
  if (!(body instanceof FormData)) return body.length;
  return [...body.values()].reduce((sum, value) => sum + (typeof value === 'string' ? value.length : value.size), 0);
}
