import './playback.css';
import * as icons from 'lucide-react';
import { memo, useEffect, useMemo, useRef } from 'react';
import { linePieces, type OutputLine, plainLine } from '../../../base/output/output-line.ts';
import type { TimedEvent } from '../../../control/trace/trace-marks.ts';
import { exactClock } from '../data/account-and-clock.ts';
import { isModified, useKeys, useStore } from '../data/browser.ts';
import { recordSource } from '../data/call-api.ts';
import { type Playback, playbackStore } from '../data/playback.ts';
import { Button, Choices } from '../pieces/page-parts.tsx';
import { formatNumber } from '../pieces/values.tsx';

/** What of a run is marked, and how: above the slider what went wrong, below it money. */
const SIGNS: Partial<Record<TimedEvent['kind'], { Icon?: icons.LucideIcon; tone: string }>> = {
  failure: { Icon: icons.X, tone: 'bad' },
  fault: { Icon: icons.ShieldAlert, tone: 'wait' },
  refused: { Icon: icons.Ban, tone: 'bad' },
  charge: { tone: 'plain' },
  refund: { Icon: icons.Undo2, tone: 'good' },
  note: { Icon: icons.StickyNote, tone: 'plain' },
};

/** Overlapping marks of one kind are merged: the number of positions on the track. */
const PATHS = 400;

const TICKS = 6;

/** The run from end to end: tests and trouble above, the slider, money below. */
function PlaybackTrack({ moment }: { moment: Playback }) {
  const { at, span } = moment;
  return (
    <div className="rail">
      <Bands moment={moment} />
      <Marks marks={moment.marks} span={span} />
      <input
        type="range"
        aria-label="Moment of the run"
        aria-valuetext={`${exactClock(at)}, time of this computer`}
        min={0}
        max={span.ended - span.began}
        step={1}
        value={at - span.began}
        onChange={({ target }) => playbackStore.to(span.began + Number(target.value))}
      />
      <Ticks span={span} />
    </div>
  );
}

const Bands = memo(
  ({ moment: { tests, span } }: { moment: Playback }) => (
    <ul className="bands" aria-label="Tests">
      {tests.map(({ name, from, to, failed }) => (
        <li
          key={`${name} ${to}`}
          className="cut"
          data-tone={failed ? 'bad' : undefined}
          title={name}
          style={{ left: shareOf(from, span), right: `calc(100% - ${shareOf(to, span)} + 1px)` }}
        >
          {failed ? '✕ ' : ''}
          {name}
        </li>
      ))}
    </ul>
  ),
  (before, after) => before.moment.tests === after.moment.tests,
);

const Marks = memo(({ marks, span }: { marks: readonly TimedEvent[]; span: Playback['span'] }) => {
  const shown = useMemo(() => sparse(marks, span), [marks, span]);
  return (
    <div className="marks" aria-hidden>
      {shown.map((mark) => (
        <MarkSign key={`${mark.kind} ${mark.at}`} mark={mark} left={shareOf(mark.at, span)} />
      ))}
    </div>
  );
});

function MarkSign({ mark: { kind, text, at }, left }: { mark: TimedEvent; left: string }) {
  const sign = SIGNS[kind];
  if (!sign) return null;
  const { Icon, tone } = sign;
  return (
    <i data-kind={kind} data-tone={tone} style={{ left }} title={`${text}, ${exactClock(at)}`}>
      {Icon && <Icon strokeWidth={3} />}
    </i>
  );
}

function sparse(marks: readonly TimedEvent[], { began, ended }: Playback['span']): TimedEvent[] {
  const seen = new Map<string, TimedEvent>();
  for (const mark of marks) {
    const position = Math.round(((mark.at - began) / Math.max(1, ended - began)) * PATHS);
    seen.set(`${mark.kind} ${position}`, mark);
  }
  return [...seen.values()];
}

function Ticks({ span }: { span: Playback['span'] }) {
  const length = span.ended - span.began;
  const ticks = Array.from({ length: TICKS }, (_, n) => span.began + (length * n) / (TICKS - 1));
  return (
    <div className="ticks" aria-hidden>
      {ticks.map((at) => (
        <span key={at} style={{ left: shareOf(at, span) }}>
          {length < 10_000 ? exactClock(at) : exactClock(at).slice(0, 8)}
        </span>
      ))}
    </div>
  );
}

/** Where a moment lies between both ends of a run, as a share in percent. */
function shareOf(at: number, { began, ended }: { began: number; ended: number }): string {
  return `${(((at - began) / Math.max(1, ended - began)) * 100).toFixed(3)}%`;
}

const SPEEDS = { 1: '1×', 10: '10×', 100: '100×' };

export function PlaybackBar() {
  const moment = useStore(playbackStore);
  useMomentKeys();
  return (
    <section className="dock stack sunken" aria-label="Time">
      <div className="row wrap soft">
        <Steps moment={moment} />
        <Choices
          label="Speed"
          value={String(moment.speed)}
          options={SPEEDS}
          onChange={(speed) => playbackStore.atSpeed(Number(speed))}
        />
        <Clocks moment={moment} />
        <Figures />
      </div>
      <CurrentLine moment={moment} />
      <PlaybackTrack moment={moment} />
    </section>
  );
}

/** What moves the moment, by its key; most have a button too. */
const MOVES: readonly { name?: string; key: string; icon?: icons.LucideIcon; act: () => void }[] = [
  { name: 'To the start', key: 'Home', icon: icons.SkipBack, act: () => playbackStore.to(0) },
  { name: 'One event back', key: 'ArrowLeft', icon: icons.ChevronLeft, act: () => playbackStore.step(-1) },
  { name: 'Play', key: ' ', icon: icons.Play, act: () => playbackStore.play() },
  { name: 'One event on', key: 'ArrowRight', icon: icons.ChevronRight, act: () => playbackStore.step(1) },
  { name: 'To just before the failure', key: 'f', icon: icons.SkipForward, act: () => playbackStore.toFailure() },
  { key: 'End', act: () => playbackStore.to(Number.POSITIVE_INFINITY) },
];

function Steps({ moment: { isPlaying } }: { moment: Playback }) {
  return (
    <div className="row">
      {MOVES.map(({ name, key, icon, act }) => {
        const isPlay = key === ' ';
        const shown = isPlay && isPlaying ? { text: 'Pause', icon: icons.Pause } : { text: name, icon };
        const disabled = key === 'f' && playbackStore.failures().length === 0;
        const variant = isPlay ? 'primary' : 'quiet';
        return name && <Button key={key} {...{ ...shown, variant, disabled, isSmall: true, onClick: act }} />;
      })}
    </div>
  );
}

function Clocks({ moment: { at, marks } }: { moment: Playback }) {
  const { now = at } = recordSource.value?.emulated() ?? {};
  const n = marks.filter((mark) => mark.at <= at).length;
  return (
    <>
      <span className="row">
        <span>
          Machine <b>{exactClock(at)}</b>
        </span>
        <span className="dock-wide">
          Emulator{' '}
          <b>
            {DAY.format(now)} {exactClock(now)}
          </b>
        </span>
      </span>
      <span className="soft dock-wide">
        event {formatNumber(n)} of {formatNumber(marks.length)}
      </span>
    </>
  );
}

function Figures() {
  const figures = recordSource.value?.figures() ?? [];
  return (
    <span className="dock-figures row grow cut" role="status">
      {figures.map(({ n, text }) => (
        <span key={text}>
          <b>{formatNumber(n)}</b> {text}
        </span>
      ))}
    </span>
  );
}

function CurrentLine({ moment: { at, tests } }: { moment: Playback }) {
  const line = currentLine(at);
  if (line === undefined) return null;
  const test = tests.find(({ from, to }) => from <= at && at < to);
  return (
    <p className="dock-line cut soft mono">
      {test && <b>{test.name} › </b>}
      {line}
    </p>
  );
}

function useMomentKeys(): void {
  useKeys((event) => {
    const act = MOVES.find(({ key }) => key === event.key)?.act;
    if (!act || isModified(event) || event.shiftKey || isTaken(event)) return;
    event.preventDefault();
    act();
  });
  useEffect(() => () => playbackStore.pause(), []);
}

/** Inputs keep their keys, and buttons Space; the slider steps by event. */
function isTaken({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement && target.type === 'range') return target.closest('.rail') === null;
  if (target.closest('input, textarea, select, [role="dialog"], audio, video')) return true;
  if (key === ' ') return target.closest('button, a, summary') !== null;
  return (key === 'Home' || key === 'End') && target.closest('.list, .steps, .output') !== null;
}

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });

/** How many lines before and after the moment are drawn. */
const AROUND = 400;

/** The line that was printed last at a moment. */
export function currentLine(at: number): string | undefined {
  const { output = [] } = recordSource.value?.trace ?? {};
  const line = output.findLast((each) => each.at <= at);
  return line && plainLine(line.text).slice(0, 300);
}

export function OutputPane() {
  return <Output as="aside" />;
}

export function OutputPage() {
  return <Output as="section" />;
}

function Output({ as: Region }: { as: 'aside' | 'section' }) {
  const { at } = useStore(playbackStore);
  const list = useRef<HTMLOListElement>(null);
  const { output = [], head } = recordSource.value?.trace ?? {};
  const last = output.findLastIndex((line) => line.at <= at);
  useEffect(() => {
    const line = last === -1 ? undefined : list.current?.querySelector<HTMLElement>('[data-at]');
    if (line && list.current) list.current.scrollTop = line.offsetTop - list.current.clientHeight / 2;
  }, [last]);
  if (output.length === 0 || !head) return null;
  const from = Math.max(0, last - AROUND);
  const lines = output.slice(from, last + AROUND).map((line, n) => ({ ...line, index: from + n }));
  return (
    <Region className="output column sunken" aria-label="Output of the command">
      <h2 className="page-head row ruled soft small">
        <icons.SquareTerminal aria-hidden />
        <span>
          Output of the command
          <br />
          <span className="tiny">Keys are masked; the output may still contain other secrets.</span>
        </span>
      </h2>
      {/* It scrolls: without a pointer it is reached with Tab. */}
      <ol className="fill scrolls" ref={list} tabIndex={0} aria-label="Lines of output">
        {lines.map((line) => (
          <li
            key={line.index}
            className={line.at > at ? 'hatched soft' : undefined}
            data-at={line.index === last ? '' : undefined}
            data-from={line.from}
          >
            <span className="soft">{((line.at - head.span.began) / 1000).toFixed(3)}</span>
            <Printed line={line} />
          </li>
        ))}
      </ol>
    </Region>
  );
}

/** In which tone of the page each colour of a terminal is readable. */
const TONES = { red: 'bad', green: 'good', yellow: 'wait', blue: 'work', grey: 'plain' } as const;

/** A line in the colours in which it was printed. */
const Printed = memo(({ line }: { line: OutputLine }) => {
  const pieces = linePieces(line.text).map((piece, at) => ({ ...piece, at }));
  return (
    <span data-plain={pieces.some(({ ink }) => ink) ? undefined : ''}>
      {pieces.map(({ at, text, ink, isBold, isFilled }) => (
        <span
          key={at}
          className={isBold ? 'toned strong' : 'toned'}
          data-tone={ink && TONES[ink]}
          data-filled={isFilled || undefined}
        >
          {text}
        </span>
      ))}
    </span>
  );
});
