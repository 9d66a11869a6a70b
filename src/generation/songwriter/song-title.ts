import type { Picker } from '../../render/text/text-picker.ts';
import type { Chorus, LyricBank } from './song-banks.ts';

const SMALL_WORDS = new Set('a an and at by for from in of on or the to with'.split(' '));
/** In words. */
const LONGEST_TITLE = 6;
/** In UTF-16 units: so much of a line is looked at. */
const LONGEST_LINE = 1000;
const END_MARKS = ' \t.,;:!?-';

/** A title from what the song sings of and what its chorus is remembered by. */
export function titleFromIdea(
  subject: string,
  chorus: Chorus,
  { lyrics: bank, isEnglish }: { lyrics: LyricBank; isEnglish: boolean },
  picker: Picker,
): string {
  const bare = subject.replace(/^(?:an?|the|my|your|our|this|that|these|those) /, '');
  const title = picker
    .one(bank.titles)
    .replace('{S}', () => subject)
    .replace('{s}', () => subject)
    .replace('{B}', () => bare)
    .replace('{hook}', chorus.hook);
  return isEnglish ? titleCase(title) : title.charAt(0).toUpperCase() + title.slice(1);
}

/** A title from given lyrics: the line that comes back, else the first one sung. Undefined where nothing is sung. */
export function titleFromLyrics(lyrics: string): string | undefined {
  const lines = lyrics
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('['));
  const seen = new Set<string>();
  const repeated = lines.find((line) => seen.size === seen.add(line).size);
  const words = (repeated ?? lines[0] ?? '').slice(0, LONGEST_LINE).split(/\s+/).slice(0, LONGEST_TITLE);
  const line = withoutMarks(words.join(' ')).slice(0, 60);
  return line === '' ? undefined : titleCase(line);
}

/** Without the marks at its end. */
function withoutMarks(text: string): string {
  let end = text.length;
  while (end > 0 && END_MARKS.includes(text[end - 1] ?? '')) end -= 1;
  return text.slice(0, end);
}

function titleCase(text: string): string {
  const words = text.split(' ');
  return words
    .map((word, index) => {
      const small = index > 0 && index < words.length - 1 && SMALL_WORDS.has(word);
      return small ? word : word.charAt(0).toUpperCase() + word.slice(1);
    })
    .join(' ');
}
