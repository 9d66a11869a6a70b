import { expect, it } from 'vitest';
import { linePieces, plainLine } from '../../../src/base/output/output-line.ts';
import { compareRuns } from '../../../src/control/trace/compare-runs.ts';
import type { TraceFile } from '../../../src/control/trace/trace-file.ts';
import { world } from '../../support/world.ts';
import { recordIn } from './read-trace.ts';
import { runShop, SONG, traceOf } from './run-of-shop.ts';

const emulator = await world();

async function shopTrace(): Promise<TraceFile> {
  const account = await emulator.account({ credits: 1000 });
  const { song: _, failing: _take, ...run } = await runShop(emulator, account);
  await account.post('/images/generations', { prompt: 'a blue mug' });
  return recordIn(await traceOf(emulator, { ...run, account_id: account.id }));
}

const [one, again] = [await shopTrace(), await shopTrace()];
type Requests = TraceFile['tables']['requests'];

/** The same run, in which requests were others. */
function withRequests(trace: TraceFile, change: (requests: Requests) => Requests): TraceFile {
  return { ...trace, tables: { ...trace.tables, requests: change(trace.tables.requests) } };
}

const changed = (path: string, change: object) => (requests: Requests) =>
  requests.map((each) => (each.path === path ? { ...each, ...change } : each));

it('finds nothing that parts two runs of the same work, whatever their ids and times', () => {
  const { parted, pairs, why, spend, answers } = compareRuns(one, again);
  expect(parted).toBe(-1);
  expect(why).toContain('Both runs did the same and were answered alike, in 6 steps');
  expect(pairs.map(({ a }) => `${a?.what} ${a?.came}`)).toEqual([
    'POST /v1/chat/completions 200',
    'POST /v1/music/generations 202',
    'take 1 of svc-music-one succeeded',
    'take 2 of svc-music-one failed: render_failed',
    'POST /v1/images/generations 200',
    'job of svc-image-one succeeded',
  ]);
  expect([spend.a - spend.b, answers]).toEqual([0, []]);
});

it.each([
  [
    'what was asked is another',
    changed('/v1/music/generations', { request: JSON.stringify({ ...SONG, seconds: 60 }), status: 400 }),
    'After 1 equal step they part: POST /v1/music/generations came to 202 on the left, to 400 on the right. ' +
      'What was asked is not the same: of POST /v1/music/generations, seconds was 30 on the left, 60 on the right.',
  ],
  [
    'a rule was applied to one of them',
    changed('/v1/chat/completions', { status: 503, fault: 'flt_0123456789ab' }),
    'From the first step on they differ: POST /v1/chat/completions came to 200 on the left, to 503 on the right. ' +
      'A fault rule was applied to it on the right only.',
  ],
  [
    'credits were short',
    changed('/v1/images/generations', { status: 402, error: 'insufficient_credits', left: 3 }),
    'came to 200 on the left, to 402 insufficient_credits on the right. ' +
      'The account had enough credits on the left, 3 credits on the right.',
  ],
  [
    'one of them took long',
    changed('/v1/images/generations', { status: 0, duration_ms: 90_000 }),
    'to connection reset on the right. What was asked is the same; its answer took',
  ],
  [
    'the client had seen something else',
    (requests: Requests) =>
      requests
        .filter(({ path }) => path !== '/v1/images/generations')
        .map((each) =>
          each.shown ? { ...each, shown: each.shown.map(({ id }) => ({ id, status: 'processing' })) } : each,
        ),
    'POST /v1/images/generations (200) is on the left, the right has no such step there. ' +
      'Before it, the last look at POST /v1/music/generations showed failed on the left, processing on the right.',
  ],
])('says in a sentence why two runs part where %s', (_, change, sentence) => {
  expect(compareRuns(one, withRequests(again, change)).why).toContain(sentence);
});

it('shows a line in the colours in which it was printed, and nothing that a terminal would not show', () => {
  const line =
    '\u001b[1m\u001b[31mError\u001b[22m: no\u001b[39m \u001b[38;5;1;46m RUN \u001b[0m\u0007 ⎯⎯ \u001b]0;t\u0007done';
  expect(linePieces(line).map(({ text, ink, isBold, isFilled }) => [text, ink, isBold, isFilled])).toEqual([
    ['Error', 'red', true, false],
    [': no', 'red', false, false],
    [' ', undefined, false, false],
    [' RUN ', undefined, false, true],
    [' ── done', undefined, false, false],
  ]);
  expect(plainLine(line)).toBe('Error: no  RUN  ── done');
});
