import { Coins, ListChecks, type LucideIcon, Server, UserRound, Webhook } from 'lucide-react';
import { LANE_NAMES } from '../../../trail/trail-mark.ts';
import { percent, placeOf, type ScaleName } from '../../../trail/trail-place.ts';
import type { Bar, Lane, LaneKind, Trail } from '../data/order-views.ts';
import { TrailAxis } from './trail-axis.tsx';

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
        <LaneRow key={lane.kind} {...{ lane, placed, chosen, onChoose }} />
      ))}
      <div className="lane-marks" aria-hidden>
        {trail.scale.gaps.map(({ from, to }) => (
          <i
            key={from}
            className="lane-gap"
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
  chosen: string | undefined;
  onChoose: (step: string) => void;
}

function LaneRow({ lane, placed, chosen, onChoose }: LaneRowProps) {
  const Icon = ICONS[lane.kind];
  return (
    <div className="lane" data-lane={lane.kind}>
      <span className="lane-name">
        <Icon aria-hidden />
        {LANE_NAMES[lane.kind]}
      </span>
      <div className="lane-tracks">
        {lane.tracks.map(({ id, label, bars }) => (
          <div key={id} className="track">
            {label && <span className="track-name">{label}</span>}
            {bars.map((bar) => {
              const key = `${bar.step} ${bar.look} ${bar.from}`;
              return <BarView key={key} {...{ bar, placed, onChoose }} isChosen={bar.step === chosen} />;
            })}
          </div>
        ))}
      </div>
    </div>
  );
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
      className="bar"
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
