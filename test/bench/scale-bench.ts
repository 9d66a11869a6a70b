import path from 'node:path';
import { against, atMost, type BenchRow, medianTime, timed } from './bench-row.ts';
import { type BenchServer, CHAT, call, during, post, watchedServer, withFolder } from './bench-server.ts';
import { fillTeamInstance, type Member } from './team-instance.ts';

const ROUNDS = 9;
/** The warm renderer needs the same memory on any instance, and the memory bench measures it. */
const NO_WARM = '--no-warm';
/** Chats and account reads are short, so more of them give a steadier median. */
const ASKED = 100;
const MAX_HELD = 50;

/** The highest allowed ratio of the time on a full instance to the time on a small one. */
const GROWTHS = {
  start: 1.1,
  chat: 1.3,
  'GET /v1/account': 1.3,
  'usage summary': 1.3,
  'verdict of one account': 1.3,
  'requests by status': 1.3,
};

interface Figures {
  times: Record<keyof typeof GROWTHS, number>;
  byText: number;
  /** Resident memory in MiB, after the measurements above. */
  memory: number;
  whole: Record<'invariants' | 'verdict' | 'snapshot' | 'restore', { ms: number; held: number }>;
}

/** Compares an instance that a team has used for long with one of a hundredth of its size. */
export async function scaleBench(): Promise<BenchRow[]> {
  const small = await figuresOf(0.01);
  const full = await figuresOf(1);
  const growths = Object.entries(GROWTHS) as [keyof typeof GROWTHS, number][];
  return [
    ...growths.map(([name, most]) => {
      const figures = { ours: full.times[name], theirs: small.times[name], bar: `<= ${most}`, digits: 1 };
      return against(`${name}, full against a hundredth, ms`, figures);
    }),
    atMost('requests by text, ms', full.byText, 100),
    atMost('resident memory, MiB', full.memory, 160),
    ...Object.entries(full.whole).map(([name, { ms, held }]) =>
      atMost(`loop held by ${name} of all (${ms.toFixed(0)} ms in all), ms`, held, MAX_HELD),
    ),
  ];
}

function figuresOf(share: number): Promise<Figures> {
  return withFolder(async (folder) => {
    const data = path.join(folder, 'data');
    const filled = await watchedServer(data, NO_WARM);
    const members = await during(filled, ({ url }) => fillTeamInstance(url, share));
    const start = await medianTime(ROUNDS, async () => (await watchedServer(data, NO_WARM)).close());
    return during(await watchedServer(data, NO_WARM), (server) => measured(server, members, start));
  });
}

async function measured(server: BenchServer, [first, second]: Member[], start: number): Promise<Figures> {
  if (!first || !second) throw new Error('the instance has no accounts');
  const { url } = server;
  const control = (at: string) => call(`${url}/_emulator${at}`);
  const headers = { authorization: `Bearer ${first.key}`, 'content-type': 'application/json' };
  return {
    times: {
      start,
      chat: await medianTime(ASKED, () => post(`${url}/v1/chat/completions`, CHAT, headers)),
      'GET /v1/account': await medianTime(ASKED, () => call(`${url}/v1/account`, { headers })),
      'usage summary': await medianTime(ASKED, () => control(`/spending?account_id=${first.id}`)),
      'verdict of one account': await medianTime(ROUNDS, () => control(`/verdict?account_id=${second.id}`)),
      'requests by status': await medianTime(ROUNDS, () => control('/requests?status=402&limit=100')),
    },
    byText: await medianTime(ROUNDS, () => control('/requests?text=harbour&limit=100')),
    memory: (await server.seen()).rss,
    whole: {
      invariants: await holding(server, () => control('/invariants')),
      verdict: await holding(server, () => control('/verdict')),
      snapshot: await holding(server, () => post(`${url}/_emulator/snapshots`, { name: 'scale' })),
      restore: await holding(server, () => post(`${url}/_emulator/snapshots/scale/restore`)),
    },
  };
}

async function holding(server: BenchServer, act: () => Promise<unknown>): Promise<{ ms: number; held: number }> {
  await server.seen();
  const ms = await timed(act);
  return { ms, held: (await server.seen()).milliseconds };
}
