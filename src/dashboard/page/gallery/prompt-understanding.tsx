import { useQuery } from '@tanstack/react-query';
import type { UnderstoodPrompt } from '../../../render/scene/understood-prompt.ts';
import { callControl } from '../data/call-api.ts';
import { recordSource } from '../data/record-source.ts';
import { Facts, Section } from '../pieces/page-head.tsx';
import type { LibraryEntry } from './gallery-records.ts';

/** A preview takes no longer prompt, in code points; texts of clips may be longer. */
const LONGEST = 2_400;

/** What a picture or a clip understood of its prompt; nothing of it where the prompt names nothing. */
export function PromptUnderstanding({ entry }: { entry: LibraryEntry }) {
  const { data } = useUnderstanding(entry);
  if (!data) return null;
  const facts = factsOf(data);
  if (Object.values(facts).every((fact) => fact === null)) return null;
  return (
    <Section title="Understood">
      <Facts facts={{ Language: languageOf(data), ...facts }} />
    </Section>
  );
}

function useUnderstanding({ kind, recipe }: LibraryEntry) {
  const prompt = recipe.prompt || '';
  const isAsked = !recordSource.value && (kind === 'image' || kind === 'video');
  return useQuery({
    queryKey: ['prompt understanding', prompt],
    queryFn: () => callControl<UnderstoodPrompt>('POST', '/renders/preview', { kind, prompt }),
    enabled: isAsked && prompt !== '' && Array.from(prompt).length <= LONGEST,
  });
}

function factsOf(understood: UnderstoodPrompt): Record<string, string | null> {
  const { subjects, place, time_of_day, weather, season, style, negated } = understood;
  const named = subjects.map(({ count, colour, concept }) => [count, colour, concept].filter(Boolean).join(' '));
  return {
    Subjects: listOf(named),
    Place: place,
    'Time of day': time_of_day,
    Weather: weather,
    Season: season,
    Style: style,
    'Left out': listOf(negated),
  };
}

function listOf(names: readonly string[]): string | null {
  return names.length === 0 ? null : names.join(', ');
}

function languageOf({ language }: UnderstoodPrompt): string {
  return new Intl.DisplayNames('en', { type: 'language' }).of(language) ?? language;
}
