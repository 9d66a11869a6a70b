import { Coins, ListChecks, type LucideIcon, Server, UserRound, Webhook } from 'lucide-react';
import type { MouseEvent } from 'react';
import { Link } from 'wouter';
import { drawLanes } from '../../../orders/draw-lanes.ts';
import { percent, type ScaleName } from '../../../orders/timeline-event.ts';
import type { LaneKind, MadeFile, Step, Trail } from '../data/order-store.ts';
import { at } from '../data/paths.ts';
import { stableUrls } from '../data/stable-urls.ts';
import { drawTree } from '../pieces/page-parts.tsx';

const ICONS: Record<LaneKind, LucideIcon> = {
  ...{ client: UserRound, service: Server, jobs: ListChecks, money: Coins, deliveries: Webhook },
};

const OWN = { 'lane-icon': LaneIcon, 'lane-thumb': MadeThumb };
const BAR = ['button', { type: 'button', className: 'bar bare', tabIndex: -1 }] as const;

interface DrawingProps {
  trail: Trail;
  scale: ScaleName;
  chosen: Step | undefined;
  onChoose: (step: string) => void;
}

/** One order on one axis: a lane for each who took part. */
export function TrailDrawing({ trail, scale, chosen, onChoose }: DrawingProps) {
  const onClick = ({ target }: MouseEvent<HTMLElement>) => {
    const step = target instanceof Element && target.closest<HTMLElement>('[data-step]')?.dataset.step;
    if (step) onChoose(step);
  };
  const attributes = { role: 'group', 'aria-label': 'The order on one axis of time', onClick };
  const onTrack = ({ id }: { id: string }, end: number) =>
    trail.made.filter(({ job_id }) => job_id === id).map((file) => ['lane-thumb', { file, end }] as const);
  return drawTree(drawLanes(trail, { scale, attributes, chosen, bar: BAR, onTrack }), OWN);
}

function LaneIcon({ kind }: { kind: LaneKind }) {
  const Icon = ICONS[kind];
  return <Icon aria-hidden />;
}

/** What a take came to, where it ended. */
function MadeThumb({ file, end }: { file: MadeFile; end: number }) {
  return (
    <Link
      className="lane-thumb"
      href={at.gallery(file.library_id)}
      aria-label={`Open the ${file.kind} in the gallery`}
      data-late={end > 0.95 ? '' : undefined}
      style={{ left: percent(end) }}
    >
      <img className="shot" src={stableUrls.of(file.thumbnail_url)} alt="" style={{ width: 32, height: 24 }} />
    </Link>
  );
}
