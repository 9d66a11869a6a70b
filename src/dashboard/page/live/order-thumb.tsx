import {
  AudioLines,
  Ban,
  Clapperboard,
  Coins,
  FileText,
  Image,
  KeyRound,
  type LucideIcon,
  MessageSquare,
  Music,
  Workflow,
  X,
} from 'lucide-react';
import type { OrderLine } from '../data/order-views.ts';
import { steadyUrls } from '../data/steady-urls.ts';
import { playTime } from '../pieces/byte-size.ts';

const BY_PATH: readonly (readonly [string, LucideIcon])[] = [
  ['/chat', MessageSquare],
  ['/images', Image],
  ['/videos', Clapperboard],
  ['/music', Music],
  ['/audio', AudioLines],
  ['/hooks', Workflow],
  ['/account', KeyRound],
];

/** What came of an order as a small picture; an icon for what makes none. */
export function OrderThumb({ line, path }: { line: OrderLine | undefined; path: string }) {
  if (line?.thumbnail_url) {
    const { seconds, medium } = line.made ?? {};
    return (
      <span className="thumb centred soft" data-kind={medium} data-open={line.time.is_open ? '' : undefined}>
        <img src={steadyUrls.of(line.thumbnail_url)} alt="" loading="lazy" decoding="async" />
        {seconds != null && medium === 'video' && <span className="thumb-length">{playTime(seconds)}</span>}
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

function iconOf(line: OrderLine | undefined, path: string): { Icon: LucideIcon; isGone: boolean } {
  const own = BY_PATH.find(([part]) => path.includes(part))?.[1] ?? (path === '' ? Workflow : FileText);
  if (!line) return { Icon: own, isGone: false };
  const { error, fate } = line;
  if (error?.code === 'insufficient_credits') return { Icon: Coins, isGone: false };
  if (fate.work?.tone === 'bad' && fate.work.done === 0) return { Icon: X, isGone: true };
  return { Icon: error ? Ban : own, isGone: false };
}
