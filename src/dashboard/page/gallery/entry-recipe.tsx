import { Facts, Section } from '../pieces/page-head.tsx';
import type { Recipe } from './gallery-records.ts';

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
  return Object.fromEntries(fields.map(([name, value]) => [nameOf(name), shown(value)]));
}

function nameOf(field: string): string {
  const words = field.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function shown(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
