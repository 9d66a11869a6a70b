import './gallery.css';
import { useQuery } from '@tanstack/react-query';
import { ArrowLeft, Columns2, Play } from 'lucide-react';
import { type SyntheticEvent, useRef } from 'react';
import { Link } from 'wouter';
import type { LibraryRecord } from '../../../control/library.ts';
import type { UnderstoodPrompt } from '../../../media/scene/scene-lexicon.ts';
import { LONGEST_SEARCH } from '../data/account-and-clock.ts';
import { at } from '../data/addresses.ts';
import { callControl, recordSource } from '../data/call-api.ts';
import { useList, useOne } from '../data/queries.ts';
import { MediaView } from '../pieces/media-view.tsx';
import { Button, ErrorNotice, Facts, LinkButton, PageHead, Section } from '../pieces/page-parts.tsx';
import { Shot } from '../pieces/picture.tsx';
import { byteSize, Credits, playTime, sentence, TextLink } from '../pieces/values.tsx';

/** What a render was made from: effective parameters, model and seed. */
export interface Recipe {
  model: string;
  seed: number | null;
  prompt?: string;
  input?: string;
  title?: string;
  style?: string;
  lyrics?: string | null;
  negative_prompt?: string;
  aspect?: string;
  take?: number;
  [field: string]: unknown;
}

export type LibraryEntry = LibraryRecord & { recipe: Recipe };

export const KINDS = { image: 'Picture', video: 'Clip', speech: 'Voice', music: 'Song' };

export function titleOf({ recipe, kind }: LibraryEntry): string {
  const { title, prompt, input, style, lyrics } = recipe;
  return title || prompt || input || style || lyrics || KINDS[kind];
}

/** Two renders side by side. When one starts to play, the other pauses at the same position. */
export function CompareTakes({ ids, onClose }: { ids: [string, string]; onClose: () => void }) {
  const { record: first, error } = useOne<LibraryEntry>('/library', ids[0]);
  const { record: second, error: other } = useOne<LibraryEntry>('/library', ids[1]);
  const box = useRef<HTMLDivElement>(null);
  return (
    <>
      <PageHead title="Take against take">
        <Button text="Back" icon={ArrowLeft} onClick={onClose} />
        {first?.kind === 'video' && (
          <Button text="Play both" icon={Play} onClick={() => box.current && playBoth(box.current)} />
        )}
      </PageHead>
      <div className="fill scrolls" tabIndex={0} role="region" aria-label="Takes">
        <ErrorNotice error={error ?? other} />
        <div className="tiles padded" ref={box} onPlayCapture={takeTurns}>
          {first && <Take entry={first} rival={second} />}
          {second && <Take entry={second} rival={first} />}
        </div>
      </div>
    </>
  );
}

function Take({ entry, rival }: { entry: LibraryEntry; rival: LibraryEntry | undefined }) {
  const label = `${nameOf(entry.recipe)}: ${titleOf(entry).slice(0, 120)}`;
  const other = rival && rowsOf(rival);
  const shown = Object.entries(rowsOf(entry)).map(([name, value]) => {
    const isOther = other !== undefined && other[name] !== value;
    return [name, isOther ? <mark key={name}>{value}</mark> : value] as const;
  });
  return (
    <section className="stack" aria-label={label}>
      <h2>
        <TextLink href={at.gallery(entry.id)} text={nameOf(entry.recipe)} />
      </h2>
      <MediaView file={entry} label={label} />
      <Facts facts={{ ...Object.fromEntries(shown), Cost: <Credits amount={entry.credits} unit /> }} />
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

const TEXTS = {
  prompt: 'Prompt',
  input: 'Words',
  style: 'Style',
  lyrics: 'Lyrics',
  negative_prompt: 'Steered away from',
};

export function EntryRecipe({ recipe }: { recipe: Recipe }) {
  const texts = Object.entries(TEXTS).filter(([name]) => typeof recipe[name] === 'string' && recipe[name] !== '');
  return (
    <>
      {texts.map(([name, title]) => (
        <Section key={name} title={title}>
          <p className="pre" dir="auto">
            {String(recipe[name])}
          </p>
        </Section>
      ))}
      <Section title="Recipe">
        <Facts facts={factsOf(recipe)} />
      </Section>
    </>
  );
}

/** Fields of a recipe that are no text, as they are shown. */
export function factsOf(recipe: Recipe): Record<string, string | null> {
  const fields = Object.entries(recipe).filter(([name]) => !(name in TEXTS));
  return Object.fromEntries(fields.map(([name, value]) => [sentence(name.replaceAll('_', ' ')), shown(value)]));
}

function shown(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

const TAKE = { width: 64, height: 36 };
/** How many others are offered. */
const MOST = 8;

export function EntryTakes({ entry }: { entry: LibraryEntry }) {
  const others = useTakes(entry).slice(0, MOST);
  if (others.length === 0) return null;
  return (
    <Section title={entry.kind === 'music' ? 'Other takes' : 'Made from the same words'}>
      <ul className="stack">
        {others.map((other) => (
          <li key={other.id} className="row">
            <Link className="row grow" href={at.gallery(other.id)}>
              <Shot url={other.thumbnail_url} style={TAKE} />
              <span>{nameOf(other.recipe)}</span>
            </Link>
            <LinkButton text="Compare" icon={Columns2} href={`${at.gallery(entry.id)}?with=${other.id}`} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function nameOf({ take, model, seed }: Recipe): string {
  const name = take === undefined ? model : `Take ${take}`;
  return seed === null ? name : `${name}, seed ${seed}`;
}

function useTakes(entry: LibraryEntry): LibraryEntry[] {
  const { id, account_id, kind } = entry;
  const text = Array.from(titleOf(entry).split('\n')[0] ?? '')
    .slice(0, LONGEST_SEARCH)
    .join('');
  const params = { account_id, kind, text, limit: 100 };
  const { data = [] } = useList<LibraryEntry>('/library', { params, enabled: text !== '' });
  const words = wordsOf(entry.recipe);
  return data.filter((other) => other.id !== id && wordsOf(other.recipe) === words);
}

/** A songwriter's title and style differ from take to take only where the song does. */
function wordsOf({ prompt, input, title, style, lyrics }: Recipe): string {
  return JSON.stringify([prompt, input, title, style, lyrics]);
}

/** The longest prompt that a preview accepts, in code points; prompts of clips may be longer. */
const LONGEST_PROMPT = 2_400;

/** What was understood of the prompt of a picture or clip; empty if it names nothing. */
export function PromptUnderstanding({ entry }: { entry: LibraryEntry }) {
  const { kind, recipe } = entry;
  const prompt = recipe.prompt || '';
  const isAsked = !recordSource.value && (kind === 'image' || kind === 'video');
  const { data } = useQuery({
    queryKey: ['prompt understanding', prompt],
    queryFn: () => callControl<UnderstoodPrompt>('POST', '/renders/preview', { kind, prompt }),
    enabled: isAsked && prompt !== '' && Array.from(prompt).length <= LONGEST_PROMPT,
  });
  if (!data) return null;
  const facts = understoodFacts(data);
  if (Object.values(facts).every((fact) => fact === null)) return null;
  return (
    <Section title="Understood">
      <Facts facts={{ Language: LANGUAGES.of(data.language) ?? data.language, ...facts }} />
    </Section>
  );
}

function understoodFacts(understood: UnderstoodPrompt): Record<string, string | null> {
  const { subjects, place, time_of_day, weather, season, style, negated } = understood;
  const named = subjects.map(({ count, colour, concept }) => [count, colour, concept].filter(Boolean).join(' '));
  return {
    Subjects: named.join(', ') || null,
    Place: place,
    'Time of day': time_of_day,
    Weather: weather,
    Season: season,
    Style: style,
    'Left out': negated.join(', ') || null,
  };
}

const LANGUAGES = new Intl.DisplayNames('en', { type: 'language' });
