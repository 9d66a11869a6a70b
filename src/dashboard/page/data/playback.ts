import { lengthText } from '../../../control/orders/timeline-scale.ts';
import { TraceAnswers } from '../../../control/trace/trace-answer.ts';
import type { TraceFile, TraceHead } from '../../../control/trace/trace-file.ts';
import { marksOf, type TestBand, type TimeMark, testsOf } from '../../../control/trace/trace-marks.ts';
import { every, PageStore, type Stop } from './browser.ts';
import { playbackText, recordSource } from './call-api.ts';
import { orderStore } from './order-store.ts';
import { refreshAll } from './queries.ts';
import { requestStore } from './request-store.ts';

/** The interval of the playback, in milliseconds. */
const FRAME = 40;

export interface Playback {
  /** Milliseconds of the machine's clock. */
  at: number;
  span: { began: number; ended: number };
  marks: readonly TimeMark[];
  tests: readonly TestBand[];
  isPlaying: boolean;
  /** The speed relative to the original run. */
  speed: number;
}

/** The current moment of a trace, which all pages show. */
class PlaybackStore extends PageStore<Playback | undefined> {
  #stop: Stop | undefined;

  /** Shows this trace from now on, at the moment at which it is to open. */
  show(trace: TraceFile): void {
    const answers = new TraceAnswers(trace);
    const { span, openAt = span.ended } = trace.head;
    const at = Math.min(Math.max(openAt, span.began), span.ended);
    answers.moment = at;
    recordSource.set(answers);
    requestStore.take();
    const marks = marksOf(trace, answers.orders);
    this.set({ at, span, marks, tests: testsOf(trace), isPlaying: false, speed: 1 });
    playbackText.set(this.#where());
  }

  to(at: number): void {
    const { value } = this;
    const source = recordSource.value;
    if (!value || !source) return;
    const moment = Math.min(Math.max(at, value.span.began), value.span.ended);
    if (moment === value.at) return;
    source.moment = moment;
    this.set({ ...value, at: moment });
    playbackText.set(this.#where());
    requestStore.take();
    orderStore.takeShown();
    refreshAll();
  }

  /** Steps to the next or previous event. */
  step(by: 1 | -1): void {
    const { value } = this;
    if (!value) return;
    const next =
      by === 1 ? value.marks.find(({ at }) => at > value.at) : value.marks.findLast(({ at }) => at < value.at);
    this.to(next?.at ?? (by === 1 ? value.span.ended : value.span.began));
  }

  /** Jumps to just before the next failure; after the last one, to the first. */
  toFailure(): void {
    const { value } = this;
    if (!value) return;
    const wrong = this.failures();
    const next = wrong.find((at) => at - 1 > value.at) ?? wrong[0];
    if (next !== undefined) this.to(next - 1);
  }

  /** The times of all failures, in order; of refused deliveries if there are no others. */
  failures(): number[] {
    const { marks = [], tests = [] } = this.value ?? {};
    const failed = tests.filter((test) => test.failed).map(({ to }) => to);
    const momentsOf = (kind: TimeMark['kind']) => marks.filter((mark) => mark.kind === kind).map(({ at }) => at);
    const wrong = [...momentsOf('failure'), ...failed];
    return [...new Set(wrong.length > 0 ? wrong : momentsOf('refused'))].sort((a, b) => a - b);
  }

  /** The time until the next failure; after the last one, the outcome of the run. */
  #where(): string {
    const { at = 0, marks = [], tests = [] } = this.value ?? {};
    const next = this.failures().find((each) => each > at);
    if (next === undefined)
      return outcomeText(recordSource.value?.trace.head, tests.filter(({ failed }) => failed).length);
    const mark = marks.find((each) => each.at === next && (each.kind === 'failure' || each.kind === 'refused'));
    const what = mark?.text ?? `${tests.find(({ to }) => to === next)?.name} failed`;
    return `${lengthText(next - at)} before ${what}`;
  }

  play(): void {
    const { value } = this;
    if (!value) return;
    if (value.isPlaying) {
      this.pause();
      return;
    }
    if (value.at >= value.span.ended) this.to(value.span.began);
    if (this.value) this.set({ ...this.value, isPlaying: true });
    this.#stop = every(FRAME, () => {
      const { value: now } = this;
      if (!now) return;
      this.to(now.at + FRAME * now.speed);
      if (now.at + FRAME * now.speed >= now.span.ended) this.pause();
    });
  }

  pause(): void {
    this.#stop?.();
    this.#stop = undefined;
    if (this.value?.isPlaying) this.set({ ...this.value, isPlaying: false });
  }

  atSpeed(speed: number): void {
    if (this.value) this.set({ ...this.value, speed });
  }
}

function outcomeText(head: TraceHead | undefined, failed: number): string {
  const exit = head?.exit == null ? '' : `exit code ${head.exit}`;
  const tests = failed === 0 ? '' : `${failed} ${failed === 1 ? 'test' : 'tests'} failed`;
  const [failure] = (head?.failure ?? '').split('\n');
  return [failure || tests, exit].filter(Boolean).join(' · ') || 'The trace of a run';
}

export const playbackStore = new PlaybackStore(undefined);
