import { visibleText } from '../paint/wrap-text.ts';
import type { Subject } from './prompt-subjects.ts';
import { Lexicon } from './scene-lexicon.ts';

/** What a picture or a clip understands of a prompt, as the control surface tells it. */
export interface UnderstoodPrompt {
  /** BCP 47; `und` without letters. */
  language: string;
  subjects: Subject[];
  place: string | null;
  time_of_day: string | null;
  weather: string | null;
  season: string | null;
  style: string | null;
  negated: string[];
  /** The prompt as the picture says it. */
  caption: string;
}

/** Reads a prompt as renders do. */
export function understoodPrompt(prompt: string, lexicon = new Lexicon()): UnderstoodPrompt {
  const reading = lexicon.read(prompt);
  return {
    language: reading.language,
    subjects: reading.subjects,
    place: reading.grounds[0] ?? null,
    time_of_day: reading.times[0] ?? null,
    weather: reading.weather[0] ?? null,
    season: reading.seasons[0] ?? null,
    style: reading.styles[0] ?? null,
    negated: reading.negated,
    caption: visibleText(prompt),
  };
}
