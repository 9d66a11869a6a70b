import * as icons from 'lucide-react';
import { callControl } from '../data/call-api.ts';
import type { OrderLine, OrderTone } from '../data/order-store.ts';
import { useAction } from '../data/queries.ts';
import { ActionButton } from '../pieces/action-button.tsx';
import { LiveOnly, showError, showToast } from '../pieces/page-parts.tsx';
import { Shot } from '../pieces/picture.tsx';
import { counted, playTime } from '../pieces/values.tsx';

const MEDIA: Record<string, icons.LucideIcon> = {
  image: icons.Image,
  video: icons.Clapperboard,
  speech: icons.AudioLines,
  music: icons.Music,
};

/** What came of an order, in four places that never move: answer, work, events, deliveries. */
export function OrderChain({ line }: { line: OrderLine }) {
  const { answer, work, events, deliveries, tone } = line.status;
  const Icon = MEDIA[line.made?.medium ?? ''] ?? icons.Image;
  const isOpen = line.time.is_open;
  return (
    <span className="chain" data-tone={tone === 'good' ? undefined : tone}>
      {answer && (
        <Link slot="answer" name={`answer ${answer.status === 0 ? 'reset' : answer.status}`} tone={answer.tone}>
          {answer.status === 0 ? 'reset' : answer.status}
          {answer.cut && answer.status !== 0 && <icons.Scissors aria-hidden />}
        </Link>
      )}
      {work && (
        <Link slot="work" name={`${work.done} of ${work.of} done`} tone={work.tone}>
          {work.tone === 'work' ? <icons.LoaderCircle aria-hidden className="spin" /> : <Icon aria-hidden />}
          {work.done}/{work.of}
        </Link>
      )}
      {events && (
        <Link slot="events" name={counted(events.done, 'event')} tone="plain" isGhost={isOpen && events.done === 0}>
          <icons.Zap aria-hidden />
          {events.done}
        </Link>
      )}
      {deliveries && (
        <Link
          slot="deliveries"
          name={`${deliveries.done} of ${deliveries.of} deliveries succeeded`}
          tone={deliveries.tone}
          isGhost={deliveries.of === 0}
        >
          <icons.Webhook aria-hidden />
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
      className="badge link fixed"
      data-slot={slot}
      data-tone={tone === 'plain' ? undefined : tone}
      data-ghost={isGhost ? '' : undefined}
      title={name}
    >
      {children}
    </span>
  );
}

const BY_PATH: readonly (readonly [string, icons.LucideIcon])[] = [
  ['/chat', icons.MessageSquare],
  ['/images', icons.Image],
  ['/videos', icons.Clapperboard],
  ['/music', icons.Music],
  ['/audio', icons.AudioLines],
  ['/hooks', icons.Workflow],
  ['/account', icons.KeyRound],
];

/** What came of an order as a small picture; an icon for what makes none. */
export function OrderThumb({ line, path }: { line?: OrderLine | undefined; path: string }) {
  if (line?.thumbnail_url) {
    const { seconds, medium } = line.made ?? {};
    return (
      <span className="thumb centred soft" data-kind={medium} data-open={line.time.is_open ? '' : undefined}>
        <Shot url={line.thumbnail_url} />
        {seconds != null && medium === 'video' && <span className="length">{playTime(seconds)}</span>}
      </span>
    );
  }
  const { Icon, isGone } = iconOf(line, path);
  return (
    <span className="thumb centred toned" data-tone={isGone ? 'bad' : undefined}>
      <Icon aria-hidden />
    </span>
  );
}

function iconOf(line: OrderLine | undefined, path: string): { Icon: icons.LucideIcon; isGone: boolean } {
  const own = BY_PATH.find(([part]) => path.includes(part))?.[1] ?? (path === '' ? icons.Workflow : icons.FileText);
  if (!line) return { Icon: own, isGone: false };
  const { error, status } = line;
  if (error?.code === 'insufficient_credits') return { Icon: icons.Coins, isGone: false };
  if (status.work?.tone === 'bad' && status.work.done === 0) return { Icon: icons.X, isGone: true };
  return { Icon: error ? icons.Ban : own, isGone: false };
}

/** What one click gives who has too little. */
const TOP_UP = 1000;

/** Out of what stands in the row: a top-up for a 402, another try for a refused delivery. */
export function WayOut({ line: { error, whose, todo } }: { line: OrderLine }) {
  const isPoor = error?.code === 'insufficient_credits' && whose.account_id !== null;
  const act = useAction(
    () =>
      isPoor
        ? callControl('POST', `/accounts/${whose.account_id}/credits`, { amount: TOP_UP })
        : callControl('POST', `/deliveries/${todo.redeliver}/redeliver`),
    () => showToast(isPoor ? 'Topped up by 1,000 credits' : 'Sent once more', undefined, 'good'),
  );
  if (!isPoor && todo.redeliver === null) return null;
  return (
    <LiveOnly>
      <span className="fixed pre">
        {' · '}
        <button type="button" className="named bare" onClick={() => act.mutate(undefined, { onError: showError })}>
          {isPoor ? 'top up 1,000' : 'redeliver'}
        </button>
      </span>
    </LiveOnly>
  );
}

/** Approves or rejects the post at which a run waits. */
export function ClickButtons({ id }: { id: string }) {
  const choose = (choice: string) => callControl<void>('POST', `/runs/${id}/click`, { choice });
  return (
    <span className="click-buttons row">
      <ActionButton text="Approve" icon={icons.Check} variant="primary" act={() => choose('approve')} />
      <ActionButton text="Reject" icon={icons.X} act={() => choose('reject')} />
    </span>
  );
}
