import { plainLine } from '../../base/output/output-line.ts';
import { type TestInLine, testIn } from '../../base/output/reported-tests.ts';
import type { TraceFile } from './trace-file.ts';
import { TraceOrders } from './trace-orders.ts';

type MarkKind = 'failure' | 'fault' | 'refused' | 'charge' | 'refund' | 'request' | 'control' | 'note';

/** Something that happened at a moment (milliseconds of the machine's clock), in a few words. */
export interface TimedEvent {
  at: number;
  kind: MarkKind;
  text: string;
}

/** A test of the command's, as its output reports it. */
export interface TestBand {
  name: string;
  from: number;
  to: number;
  failed: boolean;
}

/** All that happened, in its order. */
export function marksOf(trace: TraceFile, orders = new TraceOrders(trace)): TimedEvent[] {
  const { requests, jobs, entries, deliveries, acts } = trace.tables;
  const requestMarks = requests.flatMap(({ began, duration_ms, status, method, path, fault }): TimedEvent[] => {
    const call = `${method} ${path.split('?')[0]}`;
    const end = began + duration_ms;
    const failed = status === 0 ? `${call}: connection reset` : `${call}: ${status}`;
    return [
      { at: began, kind: 'request', text: call },
      ...(fault === undefined ? [] : [{ at: began, kind: 'fault' as const, text: `fault applied to ${call}` }]),
      ...(status === 0 || status >= 400 ? [{ at: end, kind: 'failure' as const, text: failed }] : []),
    ];
  });
  const control = acts.flatMap(({ kind, at, call }): TimedEvent[] =>
    kind === 'write' && call ? [{ at, kind: 'control', text: `${call.method} ${call.path}` }] : [],
  );
  const notes = acts.flatMap(({ kind, at, detail }): TimedEvent[] =>
    kind === 'note' && detail.text !== undefined ? [{ at, kind, text: detail.text }] : [],
  );
  const jobEvents = jobs.flatMap(({ completed, status, model, result, take }): TimedEvent[] => {
    if (completed === null || status !== 'failed') return [];
    const code = result && 'error' in result ? result.error.code : 'failed';
    const what = take === null ? model : `take ${take} of ${model}`;
    return [{ at: orders.real(completed), kind: 'failure', text: `${what}: ${code}` }];
  });
  const money = entries.flatMap(({ created, type, amount }): TimedEvent[] => {
    if (type !== 'charge' && type !== 'refund') return [];
    const text = type === 'charge' ? `charged ${-amount}` : `gave ${amount} back`;
    return [{ at: orders.real(created), kind: type, text }];
  });
  const refused = deliveries.flatMap(({ attemptedAt, durationMs, status, responseStatus, error }): TimedEvent[] => {
    if (attemptedAt === null || status !== 'failed') return [];
    const text = `delivery refused: ${responseStatus ?? error ?? 'no answer'}`;
    return [{ at: attemptedAt + (durationMs ?? 0), kind: 'refused', text }];
  });
  const { began, ended } = trace.head.span;
  return [...requestMarks, ...control, ...notes, ...jobEvents, ...money, ...refused]
    .map((mark) => ({ ...mark, at: Math.min(Math.max(mark.at, began), ended) }))
    .sort((a, b) => a.at - b.at);
}

/** Tests reported within so many milliseconds were reported at once: Vitest reports a file's tests at its end. */
const AT_ONCE = 200;

interface ReportedTest extends TestInLine {
  at: number;
}

/** The tests that the output reports, one after another, each as long as it says; a failed one is listed once. */
export function testsOf({ output, head }: TraceFile): TestBand[] {
  const reported: ReportedTest[] = [];
  for (const { at, text } of output) {
    const test = testIn(plainLine(text).trim());
    if (!test || (test.failed && reported.some(({ failed, name }) => failed && test.name.endsWith(name)))) continue;
    reported.push({ at, ...test });
  }
  const bands: TestBand[] = [];
  for (let first = 0; first < reported.length; ) {
    let next = first + 1;
    while (next < reported.length && (reported[next]?.at ?? 0) - (reported[next - 1]?.at ?? 0) < AT_ONCE) next += 1;
    bands.push(...laidOut(reported.slice(first, next), bands.at(-1)?.to ?? head.span.began));
    first = next;
  }
  return bands;
}

/** Tests that were reported at once, placed so that the last ends when it was reported, and none begins before `from`. */
function laidOut(tests: readonly ReportedTest[], from: number): TestBand[] {
  const bands: TestBand[] = [];
  let to = tests.at(-1)?.at ?? from;
  const share = Math.max(0, to - from) / tests.length;
  for (const { name, took, failed } of tests.toReversed()) {
    const began = Math.max(from, to - (took ?? share));
    bands.unshift({ name, from: began, to, failed });
    to = began;
  }
  return bands;
}
