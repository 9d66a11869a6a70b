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
import type { Step } from '../data/order-views.ts';

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
export function StepIcon({ step }: { step: Step }) {
  const Icon = step.kind === 'answered' && step.tone === 'bad' ? X : ICONS[step.kind];
  return <Icon aria-hidden className="toned" data-tone={step.tone} />;
}
