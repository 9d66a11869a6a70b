import * as icons from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import { offsetText } from '../../../orders/time-scale.ts';
import type { Step, Trail } from '../data/order-store.ts';
import { useActiveKey } from '../pieces/browser-hooks.ts';

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
  const show = (to: number) => list.current?.querySelectorAll<HTMLElement>('.step')[to]?.focus();
  const { onKeyDown } = useActiveKey({ ids: steps.map(({ id }) => id), opened: chosen, onOpen: onChoose, show });
  return (
    <ol className="steps scrolls" ref={list} aria-label="Steps">
      {steps.map((step, at) => {
        const gap = trail.scale.gaps.find(({ to }) => to === step.at && steps[at - 1]?.at !== to);
        const isChosen = step.id === chosen;
        return (
          <li key={step.id}>
            {gap && <p className="soft small padded">{gap.text} nothing happened</p>}
            <button
              type="button"
              className="step row bare"
              data-tone={step.tone}
              aria-pressed={isChosen}
              tabIndex={isChosen || (at === 0 && chosen === undefined) ? 0 : -1}
              onClick={() => onChoose(step.id)}
              onKeyDown={onKeyDown}
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

const ICONS: Record<Step['kind'], icons.LucideIcon> = {
  ordered: icons.UserRound,
  fault: icons.Diamond,
  charged: icons.Coins,
  refunded: icons.Undo2,
  answered: icons.Check,
  began: icons.Loader,
  failed: icons.X,
  succeeded: icons.Check,
  read: icons.RefreshCw,
  told: icons.Zap,
  delivered: icons.Webhook,
  clock: icons.Clock,
  note: icons.StickyNote,
  waits: icons.Hourglass,
};

/** What kind of step it is; what went wrong is a cross. */
function StepIcon({ step }: { step: Step }) {
  const Icon = step.kind === 'answered' && step.tone === 'bad' ? icons.X : ICONS[step.kind];
  return <Icon aria-hidden className="toned" data-tone={step.tone} />;
}
