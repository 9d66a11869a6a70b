import { ArrowLeft, Play } from 'lucide-react';
import { type SyntheticEvent, useRef } from 'react';
import { Link } from 'wouter';
import { at } from '../data/paths.ts';
import { useOne } from '../data/queries.ts';
import { steadyUrls } from '../data/steady-urls.ts';
import { MediaView } from '../pieces/media-view.tsx';
import { Button, ErrorNotice, PageHead } from '../pieces/page-parts.tsx';
import { byteSize, Credits, playTime } from '../pieces/values.tsx';
import { factsOf, nameOf } from './entry-takes.tsx';
import { type LibraryEntry, titleOf } from './gallery-records.ts';
import './gallery.css';

/** Two renders beside each other: when one begins to play, the other stops, and it goes on from there. */
export function CompareTakes({ ids, onClose }: { ids: [string, string]; onClose: () => void }) {
  const [first, second] = [useEntry(ids[0]), useEntry(ids[1])];
  const box = useRef<HTMLDivElement>(null);
  return (
    <>
      <PageHead title="Take against take">
        <Button icon={ArrowLeft} onClick={onClose}>
          Back
        </Button>
        {first.data?.kind === 'video' && (
          <Button icon={Play} onClick={() => box.current && playBoth(box.current)}>
            Play both
          </Button>
        )}
      </PageHead>
      <div className="fill scrolls" tabIndex={0} role="region" aria-label="Takes">
        <ErrorNotice error={first.error ?? second.error} />
        <div className="compare-takes" ref={box} onPlayCapture={takeTurns}>
          {first.data && <Take entry={first.data} rival={second.data} />}
          {second.data && <Take entry={second.data} rival={first.data} />}
        </div>
      </div>
    </>
  );
}

function useEntry(id: string) {
  const { record: data, error } = useOne<LibraryEntry>('/library', id);
  return { data, error };
}

function Take({ entry, rival }: { entry: LibraryEntry; rival: LibraryEntry | undefined }) {
  const label = `${nameOf(entry.recipe)}: ${titleOf(entry).slice(0, 120)}`;
  const other = rival && rowsOf(rival);
  return (
    <section className="compare-take stack" aria-label={label}>
      <h2>
        <Link className="named mono" href={at.gallery(entry.id)}>
          {nameOf(entry.recipe)}
        </Link>
      </h2>
      <MediaView
        url={steadyUrls.of(entry.url)}
        contentType={entry.content_type}
        poster={steadyUrls.of(entry.thumbnail_url)}
        label={label}
      />
      <dl className="facts">
        {Object.entries(rowsOf(entry)).map(([name, value]) => (
          <div key={name} className="compare-fact" data-differs={other && other[name] !== value}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
        <div className="compare-fact">
          <dt>Cost</dt>
          <dd>
            <Credits amount={entry.credits} unit />
          </dd>
        </div>
      </dl>
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

/** Whichever begins takes over from the other, unless both were begun together. */
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
