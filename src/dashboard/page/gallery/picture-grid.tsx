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
import { steadyUrls } from '../data/steady-urls.ts';
import { Button } from '../pieces/page-parts.tsx';
import { useIsPhone } from '../pieces/use-address.ts';
import { formatNumber, playTime, RelativeTime } from '../pieces/values.tsx';
import { KINDS, type LibraryEntry, ratioOf, titleOf } from './gallery-records.ts';
import { useTileKeys } from './use-tile-keys.ts';

/** Pixels: between tiles, of the two lines below a picture, and of a row of pictures. */
const GAP = 12;
const CAPTION = 44;
const HEIGHT = 216;
const PHONE_HEIGHT = 160;

interface PictureGridProps {
  entries: readonly LibraryEntry[];
  opened: string | undefined;
  onOpen: (id: string) => void;
  /** Fetches older entries, if there are any. */
  more: (() => void) | undefined;
  empty: ReactNode;
}

/** Renders as pictures, of which only those in sight are drawn. Arrows move, Enter opens. */
export function PictureGrid({ entries, opened, onOpen, more, empty }: PictureGridProps) {
  const box = useRef<HTMLDivElement>(null);
  const { held, count, onScroll, toTop } = useHeldTop(box, entries);
  const { rows, virtual } = useRows(box, held);
  const keys = useTileKeys({ rows, opened, onOpen, show: (row) => virtual.scrollToIndex(row) });
  const prefix = useId();
  const items = virtual.getVirtualItems();
  const isNearEnd = (items.at(-1)?.index ?? 0) >= rows.length - 3;
  useEffect(() => {
    if (isNearEnd && rows.length > 0) more?.();
  }, [isNearEnd, more, rows.length]);
  const { active } = keys;
  return (
    <div className="picture-grid column fill">
      {count > 0 && (
        <Button look="primary" onClick={toTop}>
          {formatNumber(count)} new
        </Button>
      )}
      {entries.length === 0 && empty}
      <div
        ref={box}
        className="picture-scroll fill scrolls"
        hidden={entries.length === 0}
        role="listbox"
        aria-label="Renders"
        aria-activedescendant={active === undefined ? undefined : prefix + active}
        tabIndex={0}
        onKeyDown={keys.onKeyDown}
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

function useRows(box: RefObject<HTMLDivElement | null>, entries: readonly LibraryEntry[]) {
  const width = useWidth(box);
  const height = useIsPhone() ? PHONE_HEIGHT : HEIGHT;
  const rows: TileRow<LibraryEntry>[] = useMemo(
    () => (width === 0 ? [] : tileRows(entries, ratioOf, { width, height, gap: GAP })),
    [entries, width, height],
  );
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

/** A row of tiles of one height, as wide as the grid. */
export interface TileRow<Item> {
  height: number;
  tiles: { item: Item; width: number }[];
}

interface Room {
  /** Pixels: of the grid, of a row at most, and between tiles. */
  width: number;
  height: number;
  gap: number;
}

/** Lays pictures out in rows, each at its own ratio of width to height: a row takes tiles until it is full. */
function tileRows<Item>(items: readonly Item[], ratioOf: (item: Item) => number, room: Room): TileRow<Item>[] {
  const rows: TileRow<Item>[] = [];
  const open: Item[] = [];
  for (const item of items) {
    open.push(item);
    const height = heightOf(open, ratioOf, room);
    if (height <= room.height) rows.push(rowOf(open.splice(0), ratioOf, height));
  }
  if (open.length > 0) rows.push(rowOf(open, ratioOf, room.height));
  return rows;
}

function heightOf<Item>(row: readonly Item[], ratioOf: (item: Item) => number, { width, gap }: Room): number {
  const ratios = row.reduce((sum, item) => sum + ratioOf(item), 0);
  return (width - gap * (row.length - 1)) / ratios;
}

function rowOf<Item>(row: readonly Item[], ratioOf: (item: Item) => number, height: number): TileRow<Item> {
  return { height, tiles: row.map((item) => ({ item, width: ratioOf(item) * height })) };
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

/** While one looks further down, what comes in above waits: it would push away what is looked at. */
function useHeldTop<Item extends { id: string }>(box: RefObject<HTMLElement | null>, items: readonly Item[]) {
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

/** One render as a picture with two lines below it. */
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
        <img src={steadyUrls.of(entry.thumbnail_url)} alt="" loading="lazy" decoding="async" />
        {duration !== null && (
          <span className="tile-length">
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

/** Each answer signs URLs anew: what a tile shows of an entry does not change. */
function isSame(before: EntryTileProps, after: EntryTileProps): boolean {
  return (
    before.entry.id === after.entry.id &&
    before.width === after.width &&
    before.height === after.height &&
    before.isActive === after.isActive &&
    before.isOpen === after.isOpen &&
    before.onOpen === after.onOpen
  );
}
