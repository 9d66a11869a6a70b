import {
  AudioLines,
  Clapperboard,
  Image,
  LoaderCircle,
  type LucideIcon,
  Music,
  Scissors,
  Webhook,
  Zap,
} from 'lucide-react';
import type { FateLink, OrderLine, OrderTone } from '../data/order-views.ts';

const MEDIA: Record<string, LucideIcon> = { image: Image, video: Clapperboard, speech: AudioLines, music: Music };

/** What came of an order, in four places that never move: answer, work, events, deliveries. */
export function OrderChain({ line }: { line: OrderLine }) {
  const { answer, work, events, deliveries, tone } = line.fate;
  const Icon = MEDIA[line.made?.medium ?? ''] ?? Image;
  const isOpen = line.time.is_open;
  return (
    <span className="chain" data-tone={tone === 'good' ? undefined : tone}>
      {answer && (
        <Link slot="answer" name={`answer ${answer.status === 0 ? 'reset' : answer.status}`} tone={answer.tone}>
          {answer.status === 0 ? 'reset' : answer.status}
          {answer.cut && answer.status !== 0 && <Scissors aria-hidden />}
        </Link>
      )}
      {work && (
        <Link slot="work" name={`${work.done} of ${work.of} done`} tone={work.tone}>
          {work.tone === 'work' ? <LoaderCircle aria-hidden className="spin" /> : <Icon aria-hidden />}
          {work.done}/{work.of}
        </Link>
      )}
      {events && (
        <Link slot="events" name={countOf(events, 'event')} tone="plain" isGhost={isOpen && events.done === 0}>
          <Zap aria-hidden />
          {events.done}
        </Link>
      )}
      {deliveries && (
        <Link
          slot="deliveries"
          name={`${deliveries.done} of ${deliveries.of} deliveries taken`}
          tone={deliveries.tone}
          isGhost={deliveries.of === 0}
        >
          <Webhook aria-hidden />
          {deliveries.of === 0 ? 0 : `${deliveries.done}/${deliveries.of}`}
        </Link>
      )}
    </span>
  );
}

interface LinkProps {
  slot: 'answer' | 'work' | 'events' | 'deliveries';
  /** What it says, for those who do not see it. */
  name: string;
  tone: OrderTone;
  isGhost?: boolean;
  children: React.ReactNode;
}

function Link({ slot, name, tone, isGhost, children }: LinkProps) {
  return (
    <span
      className="link soft fixed"
      data-slot={slot}
      data-tone={tone === 'plain' ? undefined : tone}
      data-ghost={isGhost ? '' : undefined}
      title={name}
    >
      {children}
    </span>
  );
}

function countOf({ done }: FateLink, what: string): string {
  return `${done} ${what}${done === 1 ? '' : 's'}`;
}
