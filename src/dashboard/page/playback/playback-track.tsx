import { Ban, type LucideIcon, ShieldAlert, StickyNote, Undo2, X } from 'lucide-react';
import { memo, useMemo } from 'react';
import type { TimeMark } from '../../../control/trace/trace-marks.ts';
import { exactClock } from '../data/account-and-clock.ts';
import { type Playback, playbackStore } from '../data/playback.ts';

/** What of a run is marked, and how: above the slider what went wrong, below it money. */
const SIGNS: Partial<Record<TimeMark['kind'], { Icon?: LucideIcon; tone: string }>> = {
  failure: { Icon: X, tone: 'bad' },
  fault: { Icon: ShieldAlert, tone: 'wait' },
  refused: { Icon: Ban, tone: 'bad' },
  charge: { tone: 'plain' },
  refund: { Icon: Undo2, tone: 'good' },
  note: { Icon: StickyNote, tone: 'plain' },
};

/** Overlapping marks of one kind are merged: the number of positions on the track. */
const PATHS = 400;

const TICKS = 6;

/** The run from end to end: tests and trouble above, the slider, money below. */
export function PlaybackTrack({ moment }: { moment: Playback }) {
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

const Marks = memo(({ marks, span }: { marks: readonly TimeMark[]; span: Playback['span'] }) => {
  const shown = useMemo(() => sparse(marks, span), [marks, span]);
  return (
    <div className="marks" aria-hidden>
      {shown.map((mark) => (
        <MarkSign key={`${mark.kind} ${mark.at}`} mark={mark} left={shareOf(mark.at, span)} />
      ))}
    </div>
  );
});

function MarkSign({ mark: { kind, text, at }, left }: { mark: TimeMark; left: string }) {
  const sign = SIGNS[kind];
  if (!sign) return null;
  const { Icon, tone } = sign;
  return (
    <i data-kind={kind} data-tone={tone} style={{ left }} title={`${text}, ${exactClock(at)}`}>
      {Icon && <Icon strokeWidth={3} />}
    </i>
  );
}

function sparse(marks: readonly TimeMark[], { began, ended }: Playback['span']): TimeMark[] {
  const seen = new Map<string, TimeMark>();
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
