import {
  Check,
  Clock,
  Coins,
  Diamond,
  Hourglass,
  Loader,
  type LucideIcon,
  RefreshCw,
  Undo2,
  UserRound,
  Webhook,
  X,
  Zap,
} from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useRef } from 'react';
import { offsetText } from '../../../trail/trail-place.ts';
import type { Step, Trail } from '../data/order-store.ts';

interface StepListProps {
  trail: Trail;
  chosen: string | undefined;
  onChoose: (step: string) => void;
  /** Where the page is narrow: what the chosen step is about, in its place. */
  detail: ReactNode;
}

/** The steps in the order of the clock, on a narrow page with the lanes upright beside them. */
export function StepList({ trail, chosen, onChoose, detail }: StepListProps) {
  const list = useRef<HTMLOListElement>(null);
  const { steps } = trail;
  const move = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (by === 0) return;
    event.preventDefault();
    const from = steps.findIndex(({ id }) => id === chosen);
    const to = Math.min(Math.max(from + by, 0), steps.length - 1);
    const step = steps[to];
    if (!step) return;
    onChoose(step.id);
    list.current?.querySelectorAll<HTMLElement>('.step')[to]?.focus();
  };
  return (
    <ol className="steps" ref={list} aria-label="Steps" onKeyDown={move}>
      {steps.map((step, at) => {
        const gap = trail.scale.gaps.find(({ to }) => to === step.at && steps[at - 1]?.at !== to);
        const isChosen = step.id === chosen;
        return (
          <li key={step.id}>
            {gap && <p className="soft small padded">{gap.text} nothing happened</p>}
            <button
              type="button"
              className="step bare"
              data-tone={step.tone}
              aria-pressed={isChosen}
              tabIndex={isChosen || (at === 0 && chosen === undefined) ? 0 : -1}
              onClick={() => onChoose(step.id)}
            >
              <RailsAt trail={trail} at={at} />
              <span className="step-offset soft small fixed">{offsetText(step.at)}</span>
              <StepIcon step={step} />
              <span className="step-text cut toned" data-tone={step.tone === 'bad' ? 'bad' : undefined} dir="auto">
                {step.text}
              </span>
            </button>
            {isChosen && detail}
          </li>
        );
      })}
    </ol>
  );
}

/** The lanes beside one step: a line from the first step of each to its last, a point where it takes part. */
function RailsAt({ trail, at }: { trail: Trail; at: number }) {
  return (
    <span className="rails" aria-hidden>
      {trail.rails.map(({ id, steps }) => {
        const [first = 0] = steps;
        const last = steps.at(-1) ?? 0;
        const isOn = at >= first && at <= last && first !== last;
        const part = !isOn ? undefined : at === first ? 'from' : at === last ? 'to' : 'through';
        const tone = steps.includes(at) ? trail.steps[at]?.tone : undefined;
        return <i key={id} data-part={part} data-tone={tone} />;
      })}
    </span>
  );
}

const ICONS: Record<Step['kind'], LucideIcon> = {
  ordered: UserRound,
  fault: Diamond,
  charged: Coins,
  refunded: Undo2,
  answered: Check,
  began: Loader,
  failed: X,
  succeeded: Check,
  read: RefreshCw,
  told: Zap,
  delivered: Webhook,
  clock: Clock,
  waits: Hourglass,
};

/** What kind of step it is; what went wrong is a cross. */
function StepIcon({ step }: { step: Step }) {
  const Icon = step.kind === 'answered' && step.tone === 'bad' ? X : ICONS[step.kind];
  return <Icon aria-hidden className="toned" data-tone={step.tone} />;
}
