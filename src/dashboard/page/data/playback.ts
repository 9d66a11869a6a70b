import type { ReportFile } from '../../../control/orders/report-file.ts';
import { lengthText } from '../../../control/orders/timeline-scale.ts';
import { TraceAnswers } from '../../../control/trace/trace-answer.ts';
import { TRACE_FORMAT, type TraceFile, type TraceHead } from '../../../control/trace/trace-file.ts';
import { marksOf, type TestBand, type TimedEvent, testsOf } from '../../../control/trace/trace-marks.ts';
import { every, PageStore, type Stop } from './browser.ts';
import { playbackText, recordSource } from './call-api.ts';
import { requestStore } from './order-store.ts';
import { refreshAll } from './queries.ts';

/** The interval of the playback, in milliseconds. */
const FRAME = 40;

export interface Playback {
  /** Milliseconds of the machine's clock. */
  at: number;
  span: { began: number; ended: number };
  marks: readonly TimedEvent[];
  tests: readonly TestBand[];
  isPlaying: boolean;
  /** The speed relative to the original run. */
  speed: number;
}

const NO_RUN: Playback = { at: 0, span: { began: 0, ended: 0 }, marks: [], tests: [], isPlaying: false, speed: 1 };

/** The current moment of a trace, which all pages show. */
class PlaybackStore extends PageStore<Playback> {
  #stop: Stop | undefined;

  /** Shows this trace from now on, at the moment at which it is to open. */
  show(trace: TraceFile): void {
    const answers = new TraceAnswers(trace);
    const { span, openAt = span.ended } = trace.head;
    const at = Math.min(Math.max(openAt, span.began), span.ended);
    answers.moment = at;
    recordSource.set(answers);
    requestStore.take();
    this.set({ ...NO_RUN, at, span, marks: marksOf(trace, answers.orders), tests: testsOf(trace) });
    playbackText.set(this.#where());
  }

  /** Moves to a moment, or to the end of the run that is nearest to it. */
  to(at: number): void {
    const { value } = this;
    const moment = Math.min(Math.max(at, value.span.began), value.span.ended);
    const source = recordSource.value;
    if (!source || moment === value.at) return;
    source.moment = moment;
    this.set({ ...value, at: moment });
    playbackText.set(this.#where());
    requestStore.take();
    refreshAll();
  }

  step(by: 1 | -1): void {
    const { at: now, marks, span } = this.value;
    const next = by === 1 ? marks.find(({ at }) => at > now) : marks.findLast(({ at }) => at < now);
    this.to(next?.at ?? (by === 1 ? span.ended : span.began));
  }

  /** Jumps to just before the next failure; after the last one, to the first. */
  toFailure(): void {
    const wrong = this.failures();
    const next = wrong.find((at) => at - 1 > this.value.at) ?? wrong[0];
    if (next !== undefined) this.to(next - 1);
  }

  /** The times of all failures, in order; of refused deliveries if there are no others. */
  failures(): number[] {
    const { marks, tests } = this.value;
    const failed = tests.filter((test) => test.failed).map(({ to }) => to);
    const momentsOf = (kind: TimedEvent['kind']) => marks.filter((mark) => mark.kind === kind).map(({ at }) => at);
    const wrong = [...momentsOf('failure'), ...failed];
    return [...new Set(wrong.length > 0 ? wrong : momentsOf('refused'))].sort((a, b) => a - b);
  }

  #where(): string {
    const { at, marks, tests } = this.value;
    const next = this.failures().find((each) => each > at);
    if (next === undefined)
      return outcomeText(recordSource.value?.trace.head, tests.filter(({ failed }) => failed).length);
    const mark = marks.find((each) => each.at === next && (each.kind === 'failure' || each.kind === 'refused'));
    const what = mark?.text ?? `${tests.find(({ to }) => to === next)?.name} failed`;
    return `${lengthText(next - at)} before ${what}`;
  }

  play(): void {
    const { isPlaying, at, span } = this.value;
    if (isPlaying) {
      this.pause();
      return;
    }
    if (at >= span.ended) this.to(span.began);
    this.set({ ...this.value, isPlaying: true });
    this.#stop = every(FRAME, () => {
      const next = this.value.at + FRAME * this.value.speed;
      this.to(next);
      if (next >= span.ended) this.pause();
    });
  }

  pause(): void {
    this.#stop?.();
    this.#stop = undefined;
    if (this.value.isPlaying) this.set({ ...this.value, isPlaying: false });
  }

  atSpeed(speed: number): void {
    this.set({ ...this.value, speed });
  }
}

function outcomeText(head: TraceHead | undefined, failed: number): string {
  const exit = head?.exit == null ? '' : `exit code ${head.exit}`;
  const tests = failed === 0 ? '' : `${failed} ${failed === 1 ? 'test' : 'tests'} failed`;
  const [failure] = (head?.failure ?? '').split('\n');
  return [failure || tests, exit].filter(Boolean).join(' · ') || 'The trace of a run';
}

export const playbackStore = new PlaybackStore(NO_RUN);

export class DamagedTrace extends Error {
  override name = 'DamagedTrace';
}

const EMPTY: Pick<TraceFile, 'lists' | 'explained' | 'output' | 'media'> = {
  lists: {},
  explained: {},
  output: [],
  media: {},
};
const NO_TABLES: TraceFile['tables'] = {
  requests: [],
  jobs: [],
  entries: [],
  events: [],
  deliveries: [],
  runs: [],
  acts: [],
};

/** The trace in a page. Throws `DamagedTrace` for an incomplete one, and for what is none. */
export async function readTrace(html: Document): Promise<TraceFile> {
  return checked(await readRecord(html));
}

export async function readPage(html: Document): Promise<ReportFile | TraceFile> {
  const record = await readRecord(html);
  return 'report' in record ? record : checked(record);
}

async function readRecord(html: Document): Promise<ReportFile | Partial<TraceFile>> {
  const packed = html.getElementById('record')?.textContent;
  if (!packed) throw new DamagedTrace('The file contains no trace: its beginning or its end is missing.');
  try {
    const bytes = Uint8Array.from(atob(packed), (char) => char.charCodeAt(0));
    const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    return JSON.parse(await new Response(plain).text());
  } catch {
    throw new DamagedTrace('The record in this file cannot be unpacked: some of its bytes are missing or changed.');
  }
}

/** What another version did not write is empty. */
function checked(found: ReportFile | Partial<TraceFile>): TraceFile {
  const { head, tables } = 'report' in found ? {} : found;
  if (typeof head?.span?.began !== 'number' || typeof head.span.ended !== 'number' || !tables) {
    throw new DamagedTrace('The record in this file says of no run when it began and ended.');
  }
  const marks = head.marks?.length ? head.marks : [{ real: head.span.began, now: head.span.began, runs: true }];
  return { ...EMPTY, ...found, head: { ...head, marks }, tables: { ...NO_TABLES, ...tables } };
}

/** A note for a trace of another format version. */
export function versionNote({ head }: TraceFile): string | undefined {
  if (head.format === TRACE_FORMAT) return undefined;
  return `This trace was written by version ${head.version}, in the format ${head.format}; this page reads the format ${TRACE_FORMAT}. What it does not know is left out.`;
}

export const secondRun = new PageStore<{ trace: TraceFile; file: string } | undefined>(undefined);
