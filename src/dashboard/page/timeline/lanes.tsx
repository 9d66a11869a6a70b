import * as icons from 'lucide-react';
import type { CSSProperties, MouseEvent } from 'react';
import { Link } from 'wouter';
import { LANES, type Lane, type TimelineEntry } from '../../../control/orders/timeline-entry.ts';
import { Picture } from '../components/picture.tsx';
import { recordPagePath } from '../data/addresses.ts';
import { areaPathBuilders as addressOf } from '../data/areas.ts';
import type { Timeline } from '../data/records.ts';
import { buildEntryBars, layOutAxisLabels, type PositionedBar, positionBars, type TimelineBar } from './bars.ts';
import { formatPercent, positionOnScale, type TimeScale } from './scale.ts';

const NAMES: Record<Lane, readonly [string, icons.LucideIcon]> = {
  client: ['Client', icons.UserRound],
  service: ['Service', icons.Server],
  jobs: ['Jobs', icons.ListChecks],
  money: ['Money', icons.Coins],
  deliveries: ['Deliveries', icons.Webhook],
};

export interface TimelineTrack {
  lane: Lane | null;
  id: string;
  label: string;
  bars: readonly TimelineBar[];
}

export function buildTimelineTracks({ steps, line }: Pick<Timeline, 'steps' | 'line'>): TimelineTrack[] {
  return LANES.flatMap((lane) => {
    const own = steps.filter(({ track }) => track.lane === lane);
    const tracks = new Map(own.map(({ track }) => [track.id, track]));
    return [...tracks.values()].map((track) => ({
      ...track,
      bars: own.flatMap((step) => (step.track.id === track.id ? buildEntryBars(step, steps, line.time.took) : [])),
    }));
  });
}

type Placed = (at: number) => number;

interface LanesProps {
  tracks: readonly TimelineTrack[];
  scale: TimeScale;
  made: Timeline['made'];
  chosen: TimelineEntry | undefined;
  onChoose: (step: string) => void;
}

export function Lanes({ tracks, scale, made, chosen, onChoose }: LanesProps) {
  const placed: Placed = (at) => positionOnScale(scale, at);
  const choose = ({ target }: MouseEvent<HTMLElement>) => {
    const step = target instanceof Element && target.closest<HTMLElement>('[data-step]')?.dataset.step;
    if (step) onChoose(step);
  };
  return (
    <div className="lanes" role="group" aria-label="Timeline" onClick={choose}>
      <Axis scale={scale} placed={placed} now={chosen?.at} />
      {LANES.map((lane) => {
        const own = tracks.filter((track) => track.lane === lane);
        if (own.length === 0) return null;
        const [name, Icon] = NAMES[lane];
        return (
          <div key={lane} className="lane row stretch ruled" data-lane={lane}>
            <span className="lane-name row fixed strong">
              <Icon aria-hidden />
              {name}
            </span>
            <div className="grow">
              {own.map((track) => (
                <TrackRow key={track.id} {...{ track, placed, made, chosen: chosen?.id }} />
              ))}
            </div>
          </div>
        );
      })}
      <div className="lane-marks" aria-hidden>
        {scale.gaps.map(({ from, to }) => (
          <i key={from} className="hatched" style={between(placed(from), placed(to))} />
        ))}
        {chosen && <i className="lane-now" style={{ left: formatPercent(placed(chosen.at)) }} />}
      </div>
    </div>
  );
}

function between(left: number, right: number): CSSProperties {
  return { left: formatPercent(left), width: formatPercent(right - left) };
}

interface TrackProps {
  track: TimelineTrack;
  placed: Placed;
  made: Timeline['made'];
  chosen: string | undefined;
}

function TrackRow({ track, placed, made, chosen }: TrackProps) {
  const { lane, id, label, bars } = track;
  const end = placed(Math.max(0, ...bars.map(({ from, to }) => to ?? from)));
  return (
    <div className="track">
      {label && <span className="track-name cut soft">{label}</span>}
      {lane === 'money' && <BalanceLine {...{ bars, placed }} />}
      {lane === 'deliveries' && <Ties {...{ bars, placed }} />}
      {positionBars(bars, placed).map((each, n) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: several bars of one step may begin together
        <BarButton key={`${each.bar.step}-${n}`} placed={each} isChosen={each.bar.step === chosen} />
      ))}
      {made.map((file) => file.job_id === id && <MadeThumb key={file.library_id} file={file} end={end} />)}
    </div>
  );
}

function BarButton({ placed, isChosen }: { placed: PositionedBar; isChosen: boolean }) {
  const { bar, from, to, text, note, side, room } = placed;
  const style = {
    '--from': formatPercent(from),
    '--to': formatPercent(to),
    '--before': formatPercent(room.from),
    '--next': formatPercent(room.to),
  } as CSSProperties;
  const data = { 'data-step': bar.step, 'data-look': bar.look, 'data-tone': bar.tone, 'data-side': side, style };
  const noted = note && (
    <span className="bar-note" {...data}>
      {note}
    </span>
  );
  const isWithin = side === 'within';
  const title = [bar.text, bar.note].filter(Boolean).join(' · ');
  return (
    <>
      <button
        type="button"
        className="bar bare"
        tabIndex={-1}
        data-chosen={isChosen ? '' : undefined}
        title={title}
        {...data}
      >
        <span className="bar-fill">
          <span className="bar-text">{text}</span>
          {isWithin && noted}
        </span>
      </button>
      {!isWithin && noted}
    </>
  );
}

function MadeThumb({ file, end }: { file: Timeline['made'][number]; end: number }) {
  return (
    <Link
      className="lane-thumb"
      href={recordPagePath(file.library_id) ?? addressOf.timeline(file.job_id)}
      aria-label={`Open the ${file.kind === 'music' ? 'song' : file.kind}`}
      data-late={end > 0.95 ? '' : undefined}
      style={{ left: formatPercent(end) }}
    >
      <Picture url={file.thumbnail_url} />
    </Link>
  );
}

function BalanceLine({ bars, placed }: { bars: readonly TimelineBar[]; placed: Placed }) {
  const changes = bars.flatMap(({ from, balance }) => (balance ? [{ from, ...balance }] : []));
  const all = changes.flatMap(({ before, after }) => [before, after]);
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const parts = changes.length === 0 ? [] : [{ from: 0, after: changes[0]?.before ?? 0 }, ...changes];
  return parts.map(({ from, after }, at) => {
    const span = between(placed(from), placed(parts[at + 1]?.from ?? Number.POSITIVE_INFINITY));
    const height = (after - low) / Math.max(1, high - low);
    const style = { ...span, bottom: `${4 + Math.round(height * 34)}px` };
    // biome-ignore lint/suspicious/noArrayIndexKey: parts have no other name
    return <i key={at} className="balance-line" style={style} aria-hidden />;
  });
}

function Ties({ bars, placed }: { bars: readonly TimelineBar[]; placed: Placed }) {
  return bars.slice(1).map(({ step, from }, at) => {
    const before = bars[at];
    const style = between(placed(before?.to ?? before?.from ?? 0), placed(from));
    return <i key={step} className="lane-tie" style={style} aria-hidden />;
  });
}

function Axis({ scale, placed, now }: { scale: TimeScale; placed: Placed; now: number | undefined }) {
  const { knots, gaps } = scale;
  const cuts = gaps.map(({ from, to, text }) => ({ text, position: (placed(from) + placed(to)) / 2 }));
  return (
    <div className="axis" aria-hidden>
      {knots.map(({ at }) => (
        <i key={at} style={{ left: formatPercent(placed(at)) }} />
      ))}
      {layOutAxisLabels(knots, cuts, { placed, now }).map(({ text, position, edge }, at) => (
        <span
          key={position}
          data-edge={edge}
          data-now={now !== undefined && at === 0 ? '' : undefined}
          style={{ left: formatPercent(position) }}
        >
          {text}
        </span>
      ))}
    </div>
  );
}
