import type { LibraryRecord } from '../../../control/library.ts';
import { Details, Section } from '../pieces/page-parts.tsx';
import { sentence } from '../pieces/values.tsx';

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

export type GalleryEntry = LibraryRecord & { recipe: Recipe };

export const KINDS = { image: 'Image', video: 'Video', speech: 'Speech', music: 'Song' };

export function titleOf({ recipe, kind }: GalleryEntry): string {
  const { title, prompt, input, style, lyrics } = recipe;
  return title || prompt || input || style || lyrics || KINDS[kind];
}

const TEXTS = {
  prompt: 'Prompt',
  input: 'Input',
  style: 'Style',
  lyrics: 'Lyrics',
  negative_prompt: 'Negative prompt',
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
        <Details details={detailsOf(recipe)} />
      </Section>
    </>
  );
}

export function detailsOf(recipe: Recipe): Record<string, string | null> {
  const fields = Object.entries(recipe).filter(([name]) => !(name in TEXTS));
  return Object.fromEntries(fields.map(([name, value]) => [sentence(name.replaceAll('_', ' ')), shown(value)]));
}

function shown(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
