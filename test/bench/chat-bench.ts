import { type BenchRow, each, inTurns, median, medians } from './bench-row.ts';
import { aimockServer, type BenchServer, bareServer, HEADERS, RICH, withServer } from './bench-server.ts';
import { flood, toolVersion } from './bench-tools.ts';

const ROUNDS = 7;
const SECONDS = 3;

const CHAT = {
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
};
const BODY = JSON.stringify(CHAT);
const STREAMED = JSON.stringify({ ...CHAT, stream: true });

const PATH = '/v1/chat/completions';

/** The servers that answer the same chat. */
interface Sides {
  ours: BenchServer;
  express: BenchServer;
  aimock: BenchServer;
}

type Side = keyof Sides;

/** Compares a complete chat request with Express and aimock, which both return a fixed reply from memory. */
export function chatBench(): Promise<BenchRow[]> {
  return withServer(RICH, async (ours) => {
    const answer = await ask(ours, BODY);
    const streamed = (await ask(ours, STREAMED)).toString();
    const express = await bareServer(
      answer,
      [...streamed.matchAll(/^data: (.*)$/gm)].map(([, event = '']) => event),
    );
    const aimock = await aimockServer(JSON.parse(answer.toString()).choices[0].message.content);
    try {
      return await rowsOf({ ours, express, aimock });
    } finally {
      await Promise.all([express.close(), aimock.close()]);
    }
  });
}

async function rowsOf({ ours, express, aimock }: Sides): Promise<BenchRow[]> {
  const loads = (sides: Partial<Sides>, body: string, connections: number) => {
    const acts = Object.entries(sides).map(
      ([side, server]) => [side, () => load(server, { body, connections })] as const,
    );
    return inTurns(Object.fromEntries(acts) as Record<Side, () => Promise<Run>>, ROUNDS);
  };
  const whole = await loads({ ours, express, aimock }, BODY, 64);
  const streamed = await loads({ ours, express }, STREAMED, 64);
  const single = await loads({ ours, express }, BODY, 1);
  const streams = { ours: () => firstByte(ours), theirs: () => firstByte(express) };
  const [, ...first] = await each(ROUNDS + 1, () => medians(streams, STREAMS, 0));
  return [
    row('chat at 64 connections, requests/s, against Express', pairs(whole, 'express', 'rate'), '>= 3'),
    row('chat at 64 connections, p99 ms, against Express', pairs(whole, 'express', 'p99'), '<= 0.5'),
    row(
      `chat at 64 connections, requests/s, against aimock ${await toolVersion('@copilotkit/aimock')}`,
      pairs(whole, 'aimock', 'rate'),
      '>= 2',
    ),
    row('streamed chat at 64 connections, requests/s, against Express', pairs(streamed, 'express', 'rate'), '>= 2'),
    row('streamed chat, first byte ms, against Express', first, '<= 1.2'),
    row('chat at 1 connection, requests/s, against Express', pairs(single, 'express', 'rate'), '>= 0.7'),
  ];
}

async function ask({ url }: BenchServer, body: string): Promise<Buffer> {
  const answer = await fetch(`${url}${PATH}`, { method: 'POST', headers: HEADERS, body });
  return Buffer.from(await answer.arrayBuffer());
}

interface Run {
  rate: number;
  p99: number;
}

type Round = Record<Side, Run>;

async function load({ url }: BenchServer, asked: { body: string; connections: number }): Promise<Run> {
  const { requests, latency } = await flood({ url: `${url}${PATH}`, ...asked, duration: SECONDS, headers: HEADERS });
  return { rate: requests.average, p99: latency.p99 };
}

interface Pair {
  ours: number;
  theirs: number;
}

function pairs(rounds: readonly Round[], against: Side, figure: keyof Run): Pair[] {
  return rounds.map((round) => ({ ours: round.ours[figure], theirs: round[against][figure] }));
}

/** Streams of each server per round, one after another. */
const STREAMS = 60;

async function firstByte({ url }: BenchServer): Promise<number> {
  const began = performance.now();
  const response = await fetch(`${url}${PATH}`, { method: 'POST', headers: HEADERS, body: STREAMED });
  const reader = response.body?.getReader();
  await reader?.read();
  const took = performance.now() - began;
  while (!(await reader?.read())?.done);
  return took;
}

/** The ratio is the median of the rounds' ratios, because both sides of a round ran under the same load. */
function row(name: string, rounds: readonly Pair[], bar: string): BenchRow {
  const ratios = rounds.map(({ ours, theirs }) => ours / theirs);
  const digits = name.includes(' ms') ? 2 : 0;
  return {
    name,
    ours: median(rounds.map(({ ours }) => ours)).toFixed(digits),
    theirs: median(rounds.map(({ theirs }) => theirs)).toFixed(digits),
    ratio: median(ratios),
    spread: [Math.min(...ratios), Math.max(...ratios)],
    bar,
  };
}
