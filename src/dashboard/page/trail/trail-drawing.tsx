import { Coins, ListChecks, type LucideIcon, Server, UserRound, Webhook } from 'lucide-react';
import { Link } from 'wouter';
import { LANE_NAMES } from '../../../trail/trail-mark.ts';
import { offsetText, percent, placeOf, type ScaleName } from '../../../trail/trail-place.ts';
import type { Bar, Lane, LaneKind, MadeFile, Trail } from '../data/order-store.ts';
import { at } from '../data/paths.ts';
import { steadyUrls } from '../data/steady-urls.ts';

const ICONS: Record<LaneKind, LucideIcon> = {
  ...{ client: UserRound, service: Server, jobs: ListChecks, money: Coins, deliveries: Webhook },
};

interface DrawingProps {
  trail: Trail;
  scale: ScaleName;
  chosen: string | undefined;
  onChoose: (step: string) => void;
}

/** One order on one axis: a lane for each who took part. */
export function TrailDrawing({ trail, scale, chosen, onChoose }: DrawingProps) {
  const step = trail.steps.find(({ id }) => id === chosen);
  const placed = (at: number) => placeOf(trail.scale, scale, at);
  return (
    <div className="lanes" role="group" aria-label="The order on one axis of time">
      <TrailAxis {...{ trail, scale, chosen }} />
      {trail.lanes.map((lane) => (
        <LaneRow key={lane.kind} {...{ lane, placed, chosen, onChoose }} made={trail.made} />
      ))}
      <div className="lane-marks" aria-hidden>
        {trail.scale.gaps.map(({ from, to }) => (
          <i
            key={from}
            className="lane-gap hatched"
            style={{ left: percent(placed(from)), width: percent(placed(to) - placed(from)) }}
          />
        ))}
        {step && <i className="lane-now" style={{ left: percent(placed(step.at)) }} />}
      </div>
    </div>
  );
}

interface LaneRowProps {
  lane: Lane;
  placed: (at: number) => number;
  made: readonly MadeFile[];
  chosen: string | undefined;
  onChoose: (step: string) => void;
}

function LaneRow({ lane, placed, made, chosen, onChoose }: LaneRowProps) {
  const Icon = ICONS[lane.kind];
  return (
    <div className="lane" data-lane={lane.kind}>
      <span className="lane-name">
        <Icon aria-hidden />
        {LANE_NAMES[lane.kind]}
      </span>
      <div className="lane-tracks grow">
        {lane.tracks.map(({ id, label, bars }) => (
          <div key={id} className="track">
            {label && <span className="track-name cut soft">{label}</span>}
            {lane.kind === 'money' && <BalanceLine bars={bars} placed={placed} />}
            {lane.kind === 'deliveries' && <Ties bars={bars} placed={placed} />}
            {bars.map((bar) => {
              const key = `${bar.step} ${bar.look} ${bar.from}`;
              return <BarView key={key} {...{ bar, placed, onChoose }} isChosen={bar.step === chosen} />;
            })}
            {made
              .filter(({ job_id }) => job_id === id)
              .map((file) => (
                <MadeThumb key={file.library_id} file={file} left={placed(endOf(bars))} />
              ))}
          </div>
        ))}
      </div>
    </div>
  );
}

function endOf(bars: readonly Bar[]): number {
  return Math.max(0, ...bars.map(({ from, to }) => to ?? from));
}

/** What a take came to, where it ended. */
function MadeThumb({ file, left }: { file: MadeFile; left: number }) {
  return (
    <Link
      className="lane-thumb"
      href={at.gallery(file.library_id)}
      aria-label={`Open the ${file.kind} in the gallery`}
      data-late={left > 0.95 ? '' : undefined}
      style={{ left: percent(left) }}
    >
      <img src={steadyUrls.of(file.thumbnail_url)} alt="" />
    </Link>
  );
}

interface OnTrack {
  bars: readonly Bar[];
  placed: (at: number) => number;
}

/** The balance as a line of steps, from before the first change to the end. */
function BalanceLine({ bars, placed }: OnTrack) {
  const changes = bars.flatMap(({ from, balance }) => (balance ? [{ from, ...balance }] : []));
  const all = changes.flatMap(({ before, after }) => [before, after]);
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const parts = [{ from: 0, after: changes[0]?.before ?? 0 }, ...changes];
  return parts.map(({ from, after }, position) => {
    const [left, right] = [placed(from), placed(parts[position + 1]?.from ?? Number.POSITIVE_INFINITY)];
    const height = (after - low) / Math.max(1, high - low);
    const style = { left: percent(left), width: percent(right - left), bottom: 4 + Math.round(height * 34) };
    return <i key={`${from} ${after}`} className="balance-line" style={style} aria-hidden />;
  });
}

/** From a try to the one that was made again of it. */
function Ties({ bars, placed }: OnTrack) {
  return bars.slice(1).map(({ from, step }, position) => {
    const before = bars[position];
    const left = placed(before?.to ?? before?.from ?? 0);
    return (
      <i
        key={step}
        className="lane-tie"
        style={{ left: percent(left), width: percent(placed(from) - left) }}
        aria-hidden
      />
    );
  });
}

interface BarViewProps {
  bar: Bar;
  placed: (at: number) => number;
  isChosen: boolean;
  onChoose: (step: string) => void;
}

function BarView({ bar, placed, isChosen, onChoose }: BarViewProps) {
  const { step, from, to, look, tone, text, note } = bar;
  const left = placed(from);
  const width = to === null ? 1 - left : placed(to) - left;
  const isLate = left + width > 0.86;
  return (
    <button
      type="button"
      className="bar bare"
      tabIndex={-1}
      data-look={look}
      data-tone={tone}
      data-chosen={isChosen ? '' : undefined}
      data-late={isLate ? '' : undefined}
      style={{ left: percent(left), width: percent(width) }}
      onClick={() => onChoose(step)}
    >
      <span className="bar-fill">
        <span className="bar-text">{text}</span>
      </span>
      {note && <span className="bar-note">{note}</span>}
    </button>
  );
}

/** How far two labels are apart at least, as a share of the whole. */
const APART = 0.085;

/** The true times of the moments, as many as have room: the first, the chosen and the last always. */
function TrailAxis({ trail, scale, chosen }: { trail: Trail; scale: ScaleName; chosen: string | undefined }) {
  const { knots, gaps } = trail.scale;
  const now = trail.steps.find(({ id }) => id === chosen)?.at;
  const end = knots.at(-1)?.at ?? 0;
  const shown = [...new Set([0, end, ...(now === undefined ? [] : [now])])];
  const cuts = gaps.map(({ from, to }) => (placeOf(trail.scale, scale, from) + placeOf(trail.scale, scale, to)) / 2);
  const taken = [...shown.map((at) => placeOf(trail.scale, scale, at)), ...cuts];
  for (const { at } of knots) {
    const place = placeOf(trail.scale, scale, at);
    if (taken.some((other) => Math.abs(other - place) < APART)) continue;
    taken.push(place);
    shown.push(at);
  }
  const isFar = (at: number) =>
    at === now ||
    now === undefined ||
    Math.abs(placeOf(trail.scale, scale, at) - placeOf(trail.scale, scale, now)) >= APART;
  return (
    <div className="axis" aria-hidden>
      {knots.map(({ at }) => (
        <i key={at} style={{ left: percent(placeOf(trail.scale, scale, at)) }} />
      ))}
      {shown.filter(isFar).map((at) => (
        <span
          key={at}
          data-first={at === 0 ? '' : undefined}
          data-last={at === end && at > 0 ? '' : undefined}
          data-now={at === now ? '' : undefined}
          style={{ left: percent(placeOf(trail.scale, scale, at)) }}
        >
          {offsetText(at)}
        </span>
      ))}
      {gaps.map(({ from, text }, at) => (
        <span key={from} data-gap="" style={{ left: percent(cuts[at] ?? 0) }}>
          {text}
        </span>
      ))}
    </div>
  );
}
