import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, type RefObject, useEffect, useId, useLayoutEffect, useMemo, useRef } from 'react';
import { Button } from '../pieces/button.tsx';
import { formatNumber } from '../pieces/credits.tsx';
import { useIsPhone } from '../pieces/use-media.ts';
import { EntryTile } from './entry-tile.tsx';
import { type LibraryEntry, ratioOf } from './gallery-records.ts';
import { type TileRow, tileRows } from './tile-rows.ts';
import { useHeldTop } from './use-held-top.ts';
import { useTileKeys } from './use-tile-keys.ts';
import { useWidth } from './use-width.ts';

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
