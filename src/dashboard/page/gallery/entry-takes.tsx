import { Columns2 } from 'lucide-react';
import { Link } from 'wouter';
import { at } from '../data/paths.ts';
import { useList } from '../data/queries.ts';
import { steadyUrls } from '../data/steady-urls.ts';
import { Section } from '../pieces/page-head.tsx';
import { type LibraryEntry, type Recipe, titleOf } from './gallery-records.ts';

/** How many others are offered. */
const MOST = 8;
/** A search takes no longer text. */
const LONGEST = 200;

/** Other renders of the same words: takes of a song, a clip by another engine. */
export function EntryTakes({ entry }: { entry: LibraryEntry }) {
  const others = useTakes(entry).slice(0, MOST);
  if (others.length === 0) return null;
  return (
    <Section title={entry.kind === 'music' ? 'Other takes' : 'Made from the same words'}>
      <ul className="takes stack">
        {others.map((other) => (
          <li key={other.id} className="row">
            <Link className="row grow" href={at.gallery(other.id)}>
              <img src={steadyUrls.of(other.thumbnail_url)} alt="" loading="lazy" />
              <span>{nameOf(other.recipe)}</span>
            </Link>
            <Link className="button" href={`${at.gallery(entry.id)}?with=${other.id}`}>
              <Columns2 aria-hidden /> Compare
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  );
}

export function nameOf({ take, model, seed }: Recipe): string {
  const name = take === undefined ? model : `Take ${take}`;
  return seed === null ? name : `${name}, seed ${seed}`;
}

function useTakes(entry: LibraryEntry): LibraryEntry[] {
  const { id, account_id, kind } = entry;
  const text = firstLine(entry);
  const params = { account_id, kind, text, limit: 100 };
  const { data = [] } = useList<LibraryEntry>('/library', { params, enabled: text !== '' });
  const words = wordsOf(entry.recipe);
  return data.filter((other) => other.id !== id && wordsOf(other.recipe) === words);
}

function firstLine(entry: LibraryEntry): string {
  return Array.from(titleOf(entry).split('\n')[0] ?? '')
    .slice(0, LONGEST)
    .join('');
}

/** A songwriter's title and style differ from take to take only where the song does. */
function wordsOf({ prompt, input, title, style, lyrics }: Recipe): string {
  return JSON.stringify([prompt, input, title, style, lyrics]);
}
