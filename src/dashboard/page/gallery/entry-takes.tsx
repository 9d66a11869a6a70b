import { Columns2 } from 'lucide-react';
import { Link } from 'wouter';
import { at } from '../data/paths.ts';
import { useList } from '../data/queries.ts';
import { stableUrls } from '../data/stable-urls.ts';
import { LinkButton } from '../pieces/button.tsx';
import { Facts, Section } from '../pieces/page-parts.tsx';
import { type LibraryEntry, type Recipe, titleOf } from './gallery-records.tsx';

/** Texts of a recipe that are shown as such; the others are facts. */
const TEXTS = ['prompt', 'input', 'style', 'lyrics', 'negative_prompt'];
const TITLES: Record<string, string> = {
  prompt: 'Prompt',
  input: 'Words',
  style: 'Style',
  lyrics: 'Lyrics',
  negative_prompt: 'Steered away from',
};

/** What a render was made from. */
export function EntryRecipe({ recipe }: { recipe: Recipe }) {
  const texts = TEXTS.filter((name) => typeof recipe[name] === 'string' && recipe[name] !== '');
  return (
    <>
      {texts.map((name) => (
        <Section key={name} title={TITLES[name] ?? name}>
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
  const fields = Object.entries(recipe).filter(([name]) => !TEXTS.includes(name));
  return Object.fromEntries(fields.map(([name, value]) => [fieldName(name), shown(value)]));
}

function fieldName(field: string): string {
  const words = field.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function shown(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Pixels of its picture. */
const TAKE = { width: 64, height: 36 };
/** How many others are offered. */
const MOST = 8;
/** The longest text that a search accepts. */
const LONGEST = 200;

/** Other renders of the same prompt: takes of a song, a clip by another engine. */
export function EntryTakes({ entry }: { entry: LibraryEntry }) {
  const others = useTakes(entry).slice(0, MOST);
  if (others.length === 0) return null;
  return (
    <Section title={entry.kind === 'music' ? 'Other takes' : 'Made from the same words'}>
      <ul className="stack">
        {others.map((other) => (
          <li key={other.id} className="row">
            <Link className="row grow" href={at.gallery(other.id)}>
              <img className="shot" style={TAKE} src={stableUrls.of(other.thumbnail_url)} alt="" loading="lazy" />
              <span>{nameOf(other.recipe)}</span>
            </Link>
            <LinkButton text="Compare" icon={Columns2} href={`${at.gallery(entry.id)}?with=${other.id}`} />
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
