import { ArrowLeft, Play } from 'lucide-react';
import { type RefObject, useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { at } from '../data/paths.ts';
import { useRecord } from '../data/queries.ts';
import { steadyUrls } from '../data/steady-urls.ts';
import { MediaView } from '../pieces/media-view.tsx';
import { Button, ErrorNotice, PageHead } from '../pieces/page-parts.tsx';
import { byteSize, Credits, playTime } from '../pieces/values.tsx';
import { factsOf, nameOf } from './entry-takes.tsx';
import { type LibraryEntry, titleOf } from './gallery-records.ts';
import './gallery.css';

type Media = RefObject<HTMLMediaElement | null>;

/** Two renders beside each other: when one begins to play, the other stops, and it goes on from there. */
export function CompareTakes({ ids, onClose }: { ids: [string, string]; onClose: () => void }) {
  const [first, second] = [useEntry(ids[0]), useEntry(ids[1])];
  const media: [Media, Media] = [useRef(null), useRef(null)];
  useTakingTurns(media, first.data && second.data ? ids.join() : undefined);
  const isClip = first.data?.kind === 'video';
  return (
    <>
      <PageHead title="Take against take">
        <Button icon={ArrowLeft} onClick={onClose}>
          Back
        </Button>
        {isClip && (
          <Button icon={Play} onClick={() => playBoth(media)}>
            Play both
          </Button>
        )}
      </PageHead>
      <div className="fill scrolls" tabIndex={0} role="region" aria-label="Takes">
        <ErrorNotice error={first.error ?? second.error} />
        <div className="compare-takes">
          {first.data && <Take entry={first.data} rival={second.data} media={media[0]} />}
          {second.data && <Take entry={second.data} rival={first.data} media={media[1]} />}
        </div>
      </div>
    </>
  );
}

function useEntry(id: string) {
  const { data, error } = useRecord<LibraryEntry>(`/library/${id}`);
  return { data: data?.id === id ? data : undefined, error };
}

function Take({ entry, rival, media }: { entry: LibraryEntry; rival: LibraryEntry | undefined; media: Media }) {
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
        {...{ label, media }}
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

function playBoth(media: readonly [Media, Media]): void {
  for (const [position, { current }] of media.entries()) {
    if (!current) continue;
    current.currentTime = 0;
    // One soundtrack at a time.
    current.muted = position > 0;
    current.dataset.together = '';
    void current.play().catch(() => undefined);
  }
}

function useTakingTurns(media: readonly [Media, Media], ready: string | undefined): void {
  const [first, second] = media;
  useEffect(() => {
    if (ready === undefined || !first.current || !second.current) return;
    const undo = [listen(first.current, second.current), listen(second.current, first.current)];
    return () => {
      for (const each of undo) each();
    };
  }, [first, second, ready]);
}

/** When `one` begins, it takes over from the other. */
function listen(one: HTMLMediaElement, other: HTMLMediaElement): () => void {
  const begin = () => {
    if (other.paused || 'together' in one.dataset) {
      delete one.dataset.together;
      return;
    }
    other.pause();
    one.muted = false;
    one.currentTime = other.currentTime;
  };
  one.addEventListener('play', begin);
  return () => one.removeEventListener('play', begin);
}
