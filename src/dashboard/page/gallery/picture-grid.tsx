import { useVirtualizer } from '@tanstack/react-virtual';
import { Play } from 'lucide-react';
import {
  memo,
  type ReactNode,
  type RefObject,
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useActiveKey } from '../data/addresses.ts';
import { useIsPhone } from '../data/browser.ts';
import { stableUrls } from '../data/stable-urls.ts';
import type { OpenRow } from '../pieces/data-list.tsx';
import { Button } from '../pieces/page-parts.tsx';
import { Shot } from '../pieces/picture.tsx';
import { formatNumber, playTime, RelativeTime } from '../pieces/values.tsx';
import { KINDS, type LibraryEntry, titleOf } from './recipe.tsx';

/** Pixels: between tiles, of the two lines below a picture, and of a row of pictures. */
const GAP = 12;
const CAPTION = 44;
const HEIGHT = 216;
const PHONE_HEIGHT = 160;

interface PictureGridProps extends OpenRow {
  entries: readonly LibraryEntry[];
  more: (() => void) | undefined;
  empty: ReactNode;
}

/** Renders as pictures, of which only those in sight are drawn. Arrows move, Enter opens. */
export function PictureGrid({ entries, opened, onOpen, more, empty }: PictureGridProps) {
  const box = useRef<HTMLDivElement>(null);
  const { held, count, onScroll, toTop } = usePausedTop(box, entries);
  const { rows, virtual } = useRows(box, held);
  const { active, onKeyDown } = useTileKeys(rows, (row) => virtual.scrollToIndex(row), { opened, onOpen });
  const prefix = useId();
  const items = virtual.getVirtualItems();
  const isNearEnd = (items.at(-1)?.index ?? 0) >= rows.length - 3;
  useEffect(() => {
    if (isNearEnd && rows.length > 0) more?.();
  }, [isNearEnd, more, rows.length]);
  return (
    <div className="picture-grid column fill">
      {count > 0 && <Button text={`${formatNumber(count)} new`} variant="primary" onClick={toTop} />}
      {entries.length === 0 && empty}
      <div
        ref={box}
        className="picture-scroll fill scrolls"
        hidden={entries.length === 0}
        role="listbox"
        aria-label="Renders"
        aria-activedescendant={active === undefined ? undefined : prefix + active}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onScroll={onScroll}
      >
        <div className="picture-rows" role="presentation" style={{ height: virtual.getTotalSize() }}>
          {items.map(({ index, start }) => (
            <div
              key={index}
              className="picture-row"
              role="presentation"
              style={{ transform: `translateY(${start}px)` }}
            >
              {rows[index]?.tiles.map(({ item, width }) => (
                <EntryTile
                  key={item.id}
                  domId={prefix + item.id}
                  entry={item}
                  {...{ width, height: rows[index]?.height ?? 0 }}
                  isActive={active === item.id}
                  isOpen={opened === item.id}
                  onOpen={onOpen}
                />
              ))}
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}

/** By how many cells, or by how many rows, a key moves; the ends are as far as can be. */
const SIDEWAYS: Record<string, number> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};
const UPWARD: Record<string, number> = { ArrowUp: -1, ArrowDown: 1, PageUp: -3, PageDown: 3 };

/** At which tile the keys are: upward they go to the same place of another row. */
function useTileKeys(rows: readonly TileRow[], show: (row: number) => void, opening: OpenRow) {
  const cells = rows.flatMap(({ tiles }, row) => tiles.map(({ item }, at) => ({ id: item.id, row, at })));
  const moveBy = (key: string, from: number) => {
    const by = UPWARD[key];
    const { row, at } = cells[from] ?? { row: 0, at: 0 };
    if (by === undefined) return SIDEWAYS[key];
    const next = Math.min(Math.max(row + by, 0), rows.length - 1);
    return cells.findLastIndex((each) => each.row === next && each.at <= at) - from;
  };
  const ids = cells.map(({ id }) => id);
  return useActiveKey({ ...opening, ids, moveBy, show: (index) => show(cells[index]?.row ?? 0) });
}

function useRows(box: RefObject<HTMLDivElement | null>, entries: readonly LibraryEntry[]) {
  const width = useWidth(box);
  const height = useIsPhone() ? PHONE_HEIGHT : HEIGHT;
  const rows = useMemo(() => (width === 0 ? [] : tileRows(entries, width, height)), [entries, width, height]);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: (index) => (rows[index]?.height ?? 0) + CAPTION + GAP,
    overscan: 3,
  });
  // Rows of other heights: what was measured holds no more.
  useLayoutEffect(() => {
    if (rows.length >= 0) virtual.measure();
  }, [rows, virtual]);
  return { rows, virtual };
}

interface TileRow {
  height: number;
  tiles: { item: LibraryEntry; width: number }[];
}

/**
 * Lays pictures out in rows of a width, each at its own ratio of width to height: a row takes tiles until it is full, and
 * is no higher than `most`; in pixels.
 */
function tileRows(items: readonly LibraryEntry[], width: number, most: number): TileRow[] {
  const rows: TileRow[] = [];
  const open: LibraryEntry[] = [];
  const close = (height: number) =>
    rows.push({ height, tiles: open.splice(0).map((item) => ({ item, width: ratioOf(item) * height })) });
  for (const item of items) {
    open.push(item);
    const height = (width - GAP * (open.length - 1)) / open.reduce((sum, each) => sum + ratioOf(each), 0);
    if (height <= most) close(height);
  }
  if (open.length > 0) close(most);
  return rows;
}

/** Wide by high; sounds have room for their waveform. */
function ratioOf({ kind, recipe }: LibraryEntry): number {
  if (kind === 'image') return 1;
  if (kind !== 'video') return 2;
  const [wide = 16, high = 9] = (recipe.aspect ?? '16:9').split(':').map(Number);
  return wide / high || 16 / 9;
}

/** How wide an element is inside its padding, in pixels, now and as it changes. */
function useWidth(box: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const observer = new ResizeObserver(([entry]) => {
      setWidth(Math.floor(entry?.contentRect.width ?? 0));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [box]);
  return width;
}

/** New renders are held back while the grid is scrolled down, so that nothing moves. */
function usePausedTop<Item extends { id: string }>(box: RefObject<HTMLElement | null>, items: readonly Item[]) {
  const [first, setFirst] = useState<string>();
  const found = first === undefined ? 0 : items.findIndex(({ id }) => id === first);
  const count = Math.max(0, found);
  const onScroll = () => {
    const isTop = (box.current?.scrollTop ?? 0) <= 0;
    setFirst((before) => (isTop ? undefined : (before ?? items[0]?.id)));
  };
  const toTop = () => {
    setFirst(undefined);
    box.current?.scrollTo({ top: 0 });
  };
  const held = useMemo(() => (count === 0 ? items : items.slice(count)), [items, count]);
  return { held, count, onScroll, toTop };
}

interface EntryTileProps {
  entry: LibraryEntry;
  domId: string;
  /** Pixels of its picture. */
  width: number;
  height: number;
  isActive: boolean;
  isOpen: boolean;
  onOpen: (id: string) => void;
}

const EntryTile = memo(function EntryTile(props: EntryTileProps) {
  const { entry, domId, width, height, isActive, isOpen, onOpen } = props;
  const { kind, model, duration, recipe, created } = entry;
  const title = titleOf(entry);
  return (
    <div
      id={domId}
      className="tile"
      role="option"
      aria-selected={isOpen}
      data-active={isActive ? '' : undefined}
      style={{ width }}
      onClick={() => onOpen(entry.id)}
    >
      <div className="tile-picture centred" data-kind={kind} style={{ height }}>
        <Shot url={entry.thumbnail_url} />
        {duration !== null && (
          <span className="length row small">
            <Play aria-hidden />
            {playTime(duration)}
          </span>
        )}
      </div>
      <p className="strong cut" dir="auto">
        <span className="unseen">{KINDS[kind]}: </span>
        {title.slice(0, 120)}
      </p>
      <p className="soft small cut">
        {recipe.take !== undefined && `Take ${recipe.take} · `}
        {model} · <RelativeTime at={created} />
      </p>
    </div>
  );
}, isSame);

/** Every answer signs URLs again, but what a tile shows of an entry does not change while its URL is good. */
function isSame(before: EntryTileProps, after: EntryTileProps): boolean {
  const [{ entry: one, ...rest }, { entry: other, ...others }] = [before, after];
  const names = Object.keys(rest) as (keyof typeof rest)[];
  if (one.id !== other.id || names.some((name) => rest[name] !== others[name])) return false;
  return stableUrls.of(one.thumbnail_url) === stableUrls.of(other.thumbnail_url);
}
