import { rm } from 'node:fs/promises';
import path from 'node:path';
import { benchFolder } from './bench-folder.ts';
import { atMost, type BenchRow, median } from './bench-row.ts';
import { timed } from './contest.ts';
import { ask, chat, fillTeamInstance, type Member } from './team-instance.ts';
import { type WatchedServer, watchedServer } from './watched-server.ts';

const ROUNDS = 9;
/** What the renderer keeps ready is the same however much is on record, and counted by the bench of memory. */
const NO_WARM = '--no-warm';
/** A chat and a reading of the account are short: more of them give a steadier median. */
const ASKED = 100;
const MOST_HELD = 50;
const MOST_BY_TEXT = 100;
const MOST_MIB = 160;

interface Figures {
  start: number;
  chat: number;
  account: number;
  summary: number;
  verdict: number;
  byStatus: number;
  byText: number;
  /** MiB, an hour's work after the start done. */
  memory: number;
  whole: Record<'invariants' | 'verdict' | 'snapshot' | 'restore', { ms: number; held: number }>;
}

/** What a user waits for on an instance that a team has used for long, against one with a hundredth of it. */
export async function scaleBench(): Promise<BenchRow[]> {
  const small = await figuresOf(0.01);
  const full = await figuresOf(1);
  const growth = (name: string, figure: Exclude<keyof Figures, 'whole'>, most: number): BenchRow => ({
    name: `${name}, full against a hundredth, ms`,
    ...{ ours: full[figure].toFixed(1), theirs: small[figure].toFixed(1) },
    ...{ ratio: full[figure] / small[figure], bar: `<= ${most}` },
  });
  return [
    growth('start', 'start', 1.1),
    growth('chat', 'chat', 1.3),
    growth('GET /v1/account', 'account', 1.3),
    growth('usage summary', 'summary', 1.3),
    growth('verdict of one account', 'verdict', 1.3),
    growth('requests by status', 'byStatus', 1.3),
    atMost('requests by text, ms', full.byText, MOST_BY_TEXT),
    atMost('resident memory, MiB', full.memory, MOST_MIB),
    ...Object.entries(full.whole).map(([name, { ms, held }]) =>
      atMost(`loop held by ${name} of all (${ms.toFixed(0)} ms in all), ms`, held, MOST_HELD),
    ),
  ];
}

async function figuresOf(share: number): Promise<Figures> {
  const folder = benchFolder();
  const data = path.join(folder, 'data');
  try {
    const filled = await watchedServer(data, NO_WARM);
    const members = await fillTeamInstance(filled.url, share);
    await filled.close();
    return await measured(data, members);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function measured(data: string, [first, second]: Member[]): Promise<Figures> {
  if (!first || !second) throw new Error('the instance has no accounts');
  const start = await medianOf(ROUNDS, async () => (await watchedServer(data, NO_WARM)).close());
  const server = await watchedServer(data, NO_WARM);
  try {
    const { url } = server;
    const control = (at: string) => ask(`${url}/_emulator${at}`);
    const headers = { authorization: `Bearer ${first.key}`, 'content-type': 'application/json' };
    const body = JSON.stringify(chat('Where does the road lead?'));
    return {
      start,
      chat: await medianOf(ASKED, () => ask(`${url}/v1/chat/completions`, { method: 'POST', headers, body })),
      account: await medianOf(ASKED, () => ask(`${url}/v1/account`, { headers })),
      summary: await medianOf(ASKED, () => control(`/accounts/${first.id}/usage/summary`)),
      verdict: await medianOf(ROUNDS, () => control(`/verdict?account_id=${second.id}`)),
      byStatus: await medianOf(ROUNDS, () => control('/requests?status=402&limit=100')),
      byText: await medianOf(ROUNDS, () => control('/requests?text=harbour&limit=100')),
      memory: (await server.seen()).rss,
      whole: {
        invariants: await holding(server, () => control('/invariants')),
        verdict: await holding(server, () => control('/verdict')),
        snapshot: await holding(server, () => post(`${url}/_emulator/snapshots`, { name: 'scale' })),
        restore: await holding(server, () => post(`${url}/_emulator/snapshots/scale/restore`, undefined)),
      },
    };
  } finally {
    await server.close();
  }
}

function post(url: string, body: object | undefined): Promise<string> {
  if (!body) return ask(url, { method: 'POST' });
  return ask(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
}

async function medianOf(times: number, act: () => Promise<unknown>): Promise<number> {
  const taken: number[] = [];
  for (let n = 0; n < times; n += 1) taken.push(await timed(act));
  return median(taken);
}

async function holding(server: WatchedServer, act: () => Promise<unknown>): Promise<{ ms: number; held: number }> {
  await server.seen();
  const ms = await timed(act);
  return { ms, held: (await server.seen()).milliseconds };
}
