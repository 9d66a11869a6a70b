import { OrderBook } from './order-book-at.ts';
import type { TraceFile } from './trace-file.ts';

export type MarkKind = 'failure' | 'fault' | 'refused' | 'charge' | 'refund' | 'request';

/** Something that happened at a moment (milliseconds of the machine's clock), in a few words. */
export interface TimeMark {
  at: number;
  kind: MarkKind;
  text: string;
}

/** A test of the command's, as its output tells of it. */
export interface TestBand {
  name: string;
  from: number;
  to: number;
  failed: boolean;
}

/** All that happened, in its order. */
export function marksOf(trace: TraceFile, book = new OrderBook(trace)): TimeMark[] {
  const { requests, jobs, entries, deliveries } = trace.tables;
  const requestMarks = requests.flatMap(({ began, duration_ms, status, method, path, fault }): TimeMark[] => {
    const call = `${method} ${path.split('?')[0]}`;
    const end = began + duration_ms;
    const failed = status === 0 ? `${call}: connection reset` : `${call}: ${status}`;
    return [
      { at: began, kind: 'request', text: call },
      ...(fault === undefined ? [] : [{ at: began, kind: 'fault' as const, text: `fault struck ${call}` }]),
      ...(status === 0 || status >= 400 ? [{ at: end, kind: 'failure' as const, text: failed }] : []),
    ];
  });
  const jobMarks = jobs.flatMap(({ completed, status, model, result, take }): TimeMark[] => {
    if (completed === null || status !== 'failed') return [];
    const code = result && 'error' in result ? result.error.code : 'failed';
    const what = take === null ? model : `take ${take} of ${model}`;
    return [{ at: book.real(completed), kind: 'failure', text: `${what}: ${code}` }];
  });
  const money = entries.flatMap(({ created, type, amount }): TimeMark[] => {
    if (type !== 'charge' && type !== 'refund') return [];
    const text = type === 'charge' ? `charged ${-amount}` : `gave ${amount} back`;
    return [{ at: book.real(created), kind: type, text }];
  });
  const refused = deliveries.flatMap(({ attemptedAt, durationMs, status, responseStatus, error }): TimeMark[] => {
    if (attemptedAt === null || status !== 'failed') return [];
    const text = `delivery refused: ${responseStatus ?? error ?? 'no answer'}`;
    return [{ at: attemptedAt + (durationMs ?? 0), kind: 'refused', text }];
  });
  const { began, ended } = trace.head.span;
  return [...requestMarks, ...jobMarks, ...money, ...refused]
    .map((mark) => ({ ...mark, at: Math.min(Math.max(mark.at, began), ended) }))
    .sort((a, b) => a.at - b.at);
}

const ESCAPES = new RegExp(`${String.fromCharCode(27)}\\[[0-9;?]*[ -/]*[@-~]`, 'g');

/** A line without the codes that colour it, and without what a terminal would not show. */
export function plainLine(text: string): string {
  return text.replace(ESCAPES, '').replace(/[^\P{Cc}\t]/gu, '');
}

/** How runners tell of a test in a line: a sign before it or a word behind it, and Vitest, Playwright and pytest once more at the end. */
const TOLD: readonly [failed: boolean, line: RegExp][] = [
  [false, /^(?:✓|✔|√|ok \d{1,6} -) +(.+)$/],
  [true, /^(?:✕|✖|×|✗|✘|●|not ok \d{1,6} -) +(.+)$/],
  [true, /^FAIL +(\S.* > .+)$/],
  [true, /^\d{1,4}\) ([^─]+ › [^─]+)─*$/],
  [true, /^(?:FAILED|ERROR) (\S+::\S+)/],
  [false, /^(\S+::\S+) PASSED\b/],
  [true, /^(\S+::\S+) (?:FAILED|ERROR)\b/],
];
const TOOK = /^\(?(\d{1,9}(?:\.\d{1,9})?)(ms|s)\)?$/;
/** The number that Playwright's list gives a test, and where it stands. */
const PLACE = /^(?:\d{1,6} )?(?:\[[^\]]{1,80}\] › )?\S{1,300}\.(?:test|spec)\.[cm]?[jt]sx?(?::\d{1,6}){0,2} [›>] /;
/** Files, summaries and headings are no tests. */
const NO_TEST =
  /\.(?:test|spec)\.[cm]?[jt]sx?(?: \(\d{1,9} tests?| *$)|^\d{1,9} tests?\b|^failing tests:|^Console$|^Test suite failed/;

/** The tests that the output tells of, each from the end of the one before or as long as it says; one that failed is told of once. */
export function testsOf({ output, head }: TraceFile): TestBand[] {
  const bands: TestBand[] = [];
  for (const { at, text } of output) {
    const told = testIn(plainLine(text).trim());
    if (!told || (told.failed && bands.some(({ failed, name }) => failed && told.name.endsWith(name)))) continue;
    const before = bands.at(-1)?.to ?? head.span.began;
    bands.push({ name: told.name, from: Math.max(before, at - told.took), to: at, failed: told.failed });
  }
  return bands;
}

function testIn(line: string): { name: string; took: number; failed: boolean } | undefined {
  for (const [failed, pattern] of TOLD) {
    const [, said] = pattern.exec(line) ?? [];
    if (said !== undefined) return named(said, failed);
  }
  return undefined;
}

function named(said: string, failed: boolean): { name: string; took: number; failed: boolean } | undefined {
  const words = said.split(' ').filter(Boolean);
  // `12ms`, `(12 ms)`
  const joined = /^(?:ms|s)\)?$/.test(words.at(-1) ?? '') ? words.splice(-2).join('') : words.at(-1);
  const [length, number, unit] = TOOK.exec(joined ?? '') ?? [];
  if (length !== undefined && words.at(-1) === joined) words.pop();
  const name = words.join(' ').replace(PLACE, '').slice(0, 200);
  if (name === '' || NO_TEST.test(name)) return undefined;
  const took = number === undefined ? Number.POSITIVE_INFINITY : Number(number) * (unit === 's' ? 1000 : 1);
  return { name, took, failed };
}
