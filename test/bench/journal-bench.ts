import path from 'node:path';
import { atMost, type BenchRow, medians } from './bench-row.ts';
import { type BenchServer, call, chats, during, RICH, serverAt, withFolder } from './bench-server.ts';

/** A page of requests; as many as the journal keeps, and some that make room. */
const SOME = 200;
const MANY = 102_000;
const KEPT = 99_000;
const ROUNDS = 100;
const PAGE = 100;

/** A journal that is full: what it adds to the memory of a start, its newest page, and the explanation of any request in it. */
export function journalBench(): Promise<BenchRow[]> {
  return withFolder(async (folder) => {
    const open = () => serverAt(path.join(folder, 'data'), ...RICH);
    await during(await open(), (server) => fill(server, SOME));
    const empty = await during(await open(), (server) => looked(server, 1));
    await during(await open(), (server) => fill(server, MANY));
    const full = await during(await open(), (server) => looked(server, KEPT));
    return [
      atMost('memory that a full journal adds, MiB', full.memory - empty.memory, 32),
      atMost(`newest ${PAGE} requests of a full journal, ms`, full.page, 5),
      atMost('explanation of any request of a full journal, ms', full.explain, 10),
    ];
  });
}

async function fill({ url }: BenchServer, amount: number): Promise<void> {
  await chats(url, { amount, connections: 64 });
}

/** Medians of looks at the newest page and at requests down to a depth of the journal, and the memory after them. */
async function looked({ url, memory }: BenchServer, depth: number) {
  const newest = await call<{ data: { id: string }[] }>(
    `${url}/_emulator/requests?limit=1&brief=true&operation=createChatCompletion`,
  );
  const idOf = (round: number) => earlier(newest.data[0]?.id ?? '', Math.floor((round / ROUNDS) * depth));
  const times = await medians(
    {
      page: () => call(`${url}/_emulator/requests?limit=${PAGE}`),
      explain: (round) => call(`${url}/_emulator/explain/${idOf(round)}`),
    },
    ROUNDS,
    0,
  );
  return { ...times, memory: memory() };
}

/** The id of a request so many before another: the last seven characters count the requests of a run. */
function earlier(id: string, count: number): string {
  const n = Number.parseInt(id.slice(-7), 36) - count;
  return id.slice(0, -7) + n.toString(36).padStart(7, '0');
}
