import { ArrowLeft, Play } from 'lucide-react';
import { type SyntheticEvent, useRef } from 'react';
import { Link } from 'wouter';
import { at } from '../data/paths.ts';
import { useOne } from '../data/queries.ts';
import { stableUrls } from '../data/stable-urls.ts';
import { Button } from '../pieces/button.tsx';
import { MediaView } from '../pieces/media-view.tsx';
import { ErrorNotice, Facts, PageHead } from '../pieces/page-parts.tsx';
import { byteSize, Credits, playTime } from '../pieces/values.tsx';
import { factsOf, nameOf } from './entry-takes.tsx';
import { type LibraryEntry, titleOf } from './gallery-records.tsx';
import './gallery.css';

/** Two renders side by side. When one starts to play, the other pauses at the same position. */
export function CompareTakes({ ids, onClose }: { ids: [string, string]; onClose: () => void }) {
  const first = useOne<LibraryEntry>('/library', ids[0]);
  const second = useOne<LibraryEntry>('/library', ids[1]);
  const box = useRef<HTMLDivElement>(null);
  return (
    <>
      <PageHead title="Take against take">
        <Button text="Back" icon={ArrowLeft} onClick={onClose} />
        {first.record?.kind === 'video' && (
          <Button text="Play both" icon={Play} onClick={() => box.current && playBoth(box.current)} />
        )}
      </PageHead>
      <div className="fill scrolls" tabIndex={0} role="region" aria-label="Takes">
        <ErrorNotice error={first.error ?? second.error} />
        <div className="tiles padded" ref={box} onPlayCapture={takeTurns}>
          {first.record && <Take entry={first.record} rival={second.record} />}
          {second.record && <Take entry={second.record} rival={first.record} />}
        </div>
      </div>
    </>
  );
}

function Take({ entry, rival }: { entry: LibraryEntry; rival: LibraryEntry | undefined }) {
  const label = `${nameOf(entry.recipe)}: ${titleOf(entry).slice(0, 120)}`;
  const other = rival && rowsOf(rival);
  const shown = Object.fromEntries(
    Object.entries(rowsOf(entry)).map(([name, value]) => [
      name,
      other && other[name] !== value ? <mark key={name}>{value}</mark> : value,
    ]),
  );
  return (
    <section className="stack" aria-label={label}>
      <h2>
        <Link className="named mono" href={at.gallery(entry.id)}>
          {nameOf(entry.recipe)}
        </Link>
      </h2>
      <MediaView
        url={stableUrls.of(entry.url)}
        contentType={entry.content_type}
        poster={stableUrls.of(entry.thumbnail_url)}
        label={label}
      />
      <Facts facts={{ ...shown, Cost: <Credits amount={entry.credits} unit /> }} />
      <p className="pre" dir="auto">
        {entry.recipe.lyrics ?? entry.recipe.prompt ?? entry.recipe.input}
      </p>
    </section>
  );
}

function rowsOf({ recipe, bytes, duration }: LibraryEntry): Record<string, string> {
  const facts = Object.entries(factsOf(recipe)).flatMap(([name, value]) => (value === null ? [] : [[name, value]]));
  const length = duration === null ? {} : { Length: playTime(duration) };
  return { ...Object.fromEntries(facts), ...length, Size: byteSize(bytes) };
}

const mediaIn = (box: Element) => [...box.querySelectorAll<HTMLMediaElement>('audio, video')];

function playBoth(box: Element): void {
  for (const [position, one] of mediaIn(box).entries()) {
    one.currentTime = 0;
    // One soundtrack at a time.
    one.muted = position > 0;
    one.dataset.together = '';
    void one.play().catch(() => undefined);
  }
}

/** Starting one pauses the other, unless both were started together. */
function takeTurns({ currentTarget, target }: SyntheticEvent<HTMLElement>): void {
  const one = target as HTMLMediaElement;
  const other = mediaIn(currentTarget).find((each) => each !== one);
  if (!other || other.paused || 'together' in one.dataset) {
    delete one.dataset.together;
    return;
  }
  other.pause();
  one.muted = false;
  one.currentTime = other.currentTime;
}
