import autocannon from 'autocannon';
import { type BenchRow, median } from './bench-row.ts';
import { type BenchServer, bareServer, ourServer } from './bench-server.ts';

const ROUNDS = 7;
const SECONDS = 3;

const BODY = JSON.stringify({
  model: 'svc-rp-mini',
  messages: [
    {
      role: 'system',
      content: 'You are Mira, who keeps the lighthouse at the end of the world and has not spoken to anyone in weeks.',
    },
    {
      role: 'user',
      content: 'I shake the rain from my coat and ask whether the storm will pass before the morning.',
    },
  ],
  mode: 'messaging',
});

const HEADERS = {
  authorization: 'Bearer svc_sk_local_emulator',
  'content-type': 'application/json',
};
const PATH = '/v1/chat/completions';

/** Chat with the full road against a bare Express handler, at 64 connections and at one; the first byte of a stream. */
export async function chatBench(): Promise<BenchRow[]> {
  const ours = await ourServer('--credits', '1000000000');
  const answer = await fetch(`${ours.urls[0]}${PATH}`, {
    method: 'POST',
    headers: HEADERS,
    body: BODY,
  });
  const bare = await bareServer(Buffer.from(await answer.arrayBuffer()));
  try {
    const many = await compare(ours, bare, 64);
    const one = await compare(ours, bare, 1);
    const first = await compareFirstByte(ours, bare);
    return [
      row('chat, requests/s at 64 connections', many.rate, '>= 2'),
      inverse('chat, p99 ms at 64 connections (share of theirs)', many.p99, '<= 1'),
      row('chat, requests/s at 1 connection', one.rate, '>= 0.7'),
      inverse('stream, first byte ms (times theirs)', first, '<= 2'),
    ];
  } finally {
    await Promise.all([ours.close(), bare.close()]);
  }
}

interface Pair {
  ours: number;
  theirs: number;
  /** The median of the rounds' own ratios: both sides of a round ran under the same load. */
  ratio: number;
}

async function compare(ours: BenchServer, bare: BenchServer, connections: number): Promise<{ rate: Pair; p99: Pair }> {
  const runs: { ours: Run; theirs: Run }[] = [];
  // Both are warm before the first round counts.
  await load(ours, connections, SECONDS);
  await load(bare, connections, SECONDS);
  for (let round = 0; round < ROUNDS; round += 1) {
    runs.push({
      ours: await load(ours, connections, SECONDS),
      theirs: await load(bare, connections, SECONDS),
    });
  }
  return { rate: pair(runs, 'rate'), p99: pair(runs, 'p99') };
}

interface Run {
  rate: number;
  p99: number;
}

function pair(runs: { ours: Run; theirs: Run }[], figure: keyof Run): Pair {
  return {
    ours: median(runs.map(({ ours }) => ours[figure])),
    theirs: median(runs.map(({ theirs }) => theirs[figure])),
    ratio: median(runs.map(({ ours, theirs }) => ours[figure] / theirs[figure])),
  };
}

async function load(server: BenchServer, connections: number, duration: number): Promise<Run> {
  const url = `${server.urls[0]}${PATH}`;
  const result = await autocannon({
    url,
    connections,
    duration,
    method: 'POST',
    headers: HEADERS,
    body: BODY,
  });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} answers were not 2xx at ${url}`);
  return { rate: result.requests.average, p99: result.latency.p99 };
}

async function compareFirstByte(ours: BenchServer, bare: BenchServer): Promise<Pair> {
  const body = JSON.stringify({ ...JSON.parse(BODY), stream: true });
  const samples = { ours: [] as number[], theirs: [] as number[] };
  for (let round = 0; round < 300; round += 1) {
    samples.ours.push(await firstByte(`${ours.urls[0]}${PATH}`, body));
    samples.theirs.push(await firstByte(`${bare.urls[1]}${PATH}`, body));
  }
  const first = median(samples.ours.slice(50));
  const theirs = median(samples.theirs.slice(50));
  return { ours: first, theirs, ratio: first / theirs };
}

async function firstByte(url: string, body: string): Promise<number> {
  const began = performance.now();
  const response = await fetch(url, { method: 'POST', headers: HEADERS, body });
  const reader = response.body?.getReader();
  await reader?.read();
  const took = performance.now() - began;
  while (!(await reader?.read())?.done);
  return took;
}

function row(name: string, { ours, theirs, ratio }: Pair, bar: string): BenchRow {
  return { name, ours: ours.toFixed(0), theirs: theirs.toFixed(0), ratio, bar };
}

function inverse(name: string, { ours, theirs, ratio }: Pair, bar: string): BenchRow {
  return { name, ours: ours.toFixed(2), theirs: theirs.toFixed(2), ratio, bar };
}
