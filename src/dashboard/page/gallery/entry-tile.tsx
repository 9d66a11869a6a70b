import { Play } from 'lucide-react';
import { memo } from 'react';
import { steadyUrls } from '../data/steady-urls.ts';
import { playTime, RelativeTime } from '../pieces/values.tsx';
import { KINDS, type LibraryEntry, titleOf } from './gallery-records.ts';

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
export const EntryTile = memo(function EntryTile(props: EntryTileProps) {
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
