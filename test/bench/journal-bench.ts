import { rm } from 'node:fs/promises';
import path from 'node:path';
import autocannon from 'autocannon';
import { CHAT, HEADERS } from './bench-chat.ts';
import { benchFolder } from './bench-folder.ts';
import { atMost, type BenchRow, median } from './bench-row.ts';
import { type BenchServer, ourServer } from './bench-server.ts';

/** A page of requests; as many as the journal keeps, and some that make room. */
const SOME = 200;
const MANY = 102_000;
const KEPT = 99_000;
const ROUNDS = 100;
const PAGE = 100;

/** A journal that is full: what it adds to the memory of a start, its newest page, and the explanation of any request in it. */
export async function journalBench(): Promise<BenchRow[]> {
  const folder = benchFolder();
  const open = () => ourServer('--data-dir', path.join(folder, 'data'), '--credits', '1000000000');
  try {
    await during(await open(), (server) => fill(server, SOME));
    const empty = await looked(await open(), 1);
    await during(await open(), (server) => fill(server, MANY));
    const full = await looked(await open(), KEPT);
    return [
      atMost('memory that a full journal adds, MiB', full.memory - empty.memory, 32),
      atMost(`newest ${PAGE} requests of a full journal, ms`, full.page, 5),
      atMost('explanation of any request of a full journal, ms', full.explain, 10),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function during<T>(server: BenchServer, work: (server: BenchServer) => Promise<T>) {
  try {
    return await work(server);
  } finally {
    await server.close();
  }
}

async function fill({ urls }: BenchServer, amount: number): Promise<void> {
  const url = `${urls[0]}/v1/chat/completions`;
  const load = { connections: 64, amount, method: 'POST' as const, body: JSON.stringify(CHAT) };
  await autocannon({ url, ...load, headers: HEADERS });
}

/** Medians of looks at the newest page and at requests down to a depth of the journal, and the memory after them. */
function looked(server: BenchServer, depth: number) {
  return during(server, async ({ urls, memory }) => {
    const [url] = urls;
    const newest = await newestId(`${url}`);
    const pages: number[] = [];
    const explanations: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      pages.push(await took(`${url}/_emulator/requests?limit=${PAGE}`));
      const id = earlier(newest, Math.floor((round / ROUNDS) * depth));
      explanations.push(await took(`${url}/_emulator/explain/${id}`));
    }
    return { page: median(pages), explain: median(explanations), memory: memory() };
  });
}

/** The id of a request so many before another: the last seven characters count the requests of a run. */
function earlier(id: string, count: number): string {
  const n = Number.parseInt(id.slice(-7), 36) - count;
  return id.slice(0, -7) + n.toString(36).padStart(7, '0');
}

async function newestId(url: string): Promise<string> {
  const answer = await fetch(`${url}/_emulator/requests?limit=1&brief=true&operation=createChatCompletion`);
  const { data } = (await answer.json()) as { data: { id: string }[] };
  return data[0]?.id ?? '';
}

async function took(url: string): Promise<number> {
  const began = performance.now();
  const answer = await fetch(url);
  await answer.arrayBuffer();
  if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}`);
  return performance.now() - began;
}
