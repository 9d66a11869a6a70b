import { against, type BenchRow, each } from './bench-row.ts';
import { type BenchServer, idle, KEY, withWatched } from './bench-server.ts';
import { type HostileRequest, hostileRequests } from './hostile-requests.ts';

/** Runs per request. Only the shortest hold counts, because other programs can only lengthen it. */
const TIMES = 3;
/** Limits in milliseconds, for a body of up to 4 MiB and for a larger one. */
const [MAX_MS, MAX_OF_LARGE_MS] = [50, 250];
const LARGE = 4 * 1_048_576;

/** How long each hostile request blocks the event loop. */
export function holdBench(): Promise<BenchRow[]> {
  return withWatched(['--credits', '100000000'], (server) =>
    each(hostileRequests(), (request) => rowOf(server, request)),
  );
}

async function rowOf(server: BenchServer, request: HostileRequest): Promise<BenchRow> {
  const runs = await each(TIMES, async () => {
    await server.seen();
    const status = await send(server, request);
    // Work after the response counts too.
    await idle(server);
    return { status, ms: (await server.seen()).milliseconds };
  });
  const ours = Math.min(...runs.map(({ ms }) => ms));
  const { name, body } = request;
  // A form has a file of tens of megabytes.
  const theirs = body instanceof FormData || body.length > LARGE ? MAX_OF_LARGE_MS : MAX_MS;
  return against(`${name}, answered ${runs.at(-1)?.status}`, { ours, theirs, bar: '<= 1', unit: ' ms' });
}

async function send({ url }: BenchServer, { path, body }: HostileRequest): Promise<number> {
  const typed: Record<string, string> = body instanceof FormData ? {} : { 'content-type': 'application/json' };
  const sent = body instanceof FormData ? body : new Uint8Array(body);
  const answer = await fetch(url + path, { method: 'POST', headers: { ...KEY, ...typed }, body: sent });
  await answer.arrayBuffer();
  return answer.status;
}
