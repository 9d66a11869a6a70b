import type { Picker } from '../../../base/random.ts';
import type { Chorus, Couplet, LyricBank, SongMood } from './song-banks.ts';

/** A section of a song by the tag it stands under. */
type SectionTag = 'Intro' | 'Verse' | 'Pre-Chorus' | 'Chorus' | 'Bridge' | 'Outro';

/** A section and how many lines it has; an even number, for lines rhyme in pairs. */
type FormStep = readonly [SectionTag, number];

/** Forms by their length in seconds: about one line to three or four seconds. */
const FORMS: readonly (readonly [number, string])[] = [
  [30, 'Verse 4, Chorus 4'],
  [60, 'Verse 4, Pre-Chorus 2, Chorus 4, Verse 4, Chorus 4'],
  [90, 'Intro 2, Verse 4, Pre-Chorus 2, Chorus 4, Verse 4, Pre-Chorus 2, Chorus 4, Outro 2'],
  [120, 'Intro 2, Verse 6, Pre-Chorus 2, Chorus 4, Verse 4, Pre-Chorus 2, Chorus 4, Bridge 4, Chorus 4, Outro 2'],
  [150, 'Intro 2, Verse 8, Pre-Chorus 2, Chorus 4, Verse 8, Pre-Chorus 2, Chorus 4, Bridge 4, Chorus 4, Outro 4'],
  [180, 'Intro 2, Verse 8, Pre-Chorus 4, Chorus 6, Verse 8, Pre-Chorus 4, Chorus 6, Bridge 4, Chorus 6, Outro 4'],
  [
    210,
    'Intro 2, Verse 8, Pre-Chorus 4, Chorus 6, Verse 8, Pre-Chorus 4, Chorus 6, Bridge 6, Verse 6, Chorus 6, Outro 4',
  ],
  [
    240,
    'Intro 2, Verse 8, Pre-Chorus 4, Chorus 6, Verse 8, Pre-Chorus 4, Chorus 6, Bridge 6, Verse 8, Chorus 6, Chorus 6, Outro 4',
  ],
];

/** The form of a song of so many seconds; below 30 and above 240 the shortest and the longest. */
function formOf(seconds: number): FormStep[] {
  const [, form = ''] = FORMS.findLast(([length]) => length <= seconds) ?? FORMS[0] ?? [];
  return form.split(', ').map((step) => {
    const [tag, lines] = step.split(' ');
    return [tag as SectionTag, Number(lines)];
  });
}

/** What lyrics are written about. */
interface LyricOrder {
  mood: SongMood;
  subject: string;
  seconds: number;
  chorus: Chorus;
}

/** Lyrics in sections, each under its tag; the chorus comes back word for word. */
export function writeLyrics(order: LyricOrder, bank: LyricBank, picker: Picker): string {
  const lines = new LineSource(order, bank, picker);
  return formOf(order.seconds)
    .map((step) => [`[${step[0]}]`, ...lines.section(step)].join('\n'))
    .join('\n\n');
}

/** Hands out couplets, none of them twice, but for the sections that come back. */
class LineSource {
  readonly #subject: string;
  readonly #stocks: Record<Exclude<SectionTag, 'Chorus'>, Couplet[]>;
  readonly #subjects: Couplet[];
  readonly #chorus: readonly string[];
  #preChorus: string[] | undefined;

  constructor({ mood, subject, chorus }: LyricOrder, bank: LyricBank, picker: Picker) {
    this.#subject = subject;
    this.#stocks = {
      Intro: shuffled(bank.intros, picker),
      Verse: shuffled(bank.verses[mood], picker),
      'Pre-Chorus': shuffled(bank.preChoruses[mood], picker),
      Bridge: shuffled(bank.bridges[mood], picker),
      Outro: shuffled(bank.outros[mood], picker),
    };
    this.#subjects = shuffled(bank.subjects, picker);
    this.#chorus = [...chorus.lines, ...picker.one(bank.chorusTags)];
  }

  section([tag, count]: FormStep): string[] {
    if (tag === 'Chorus') return this.#chorus.slice(0, count).map((line) => this.#sing(line));
    if (tag === 'Pre-Chorus') {
      this.#preChorus ??= this.#take(this.#stocks[tag], count);
      return this.#preChorus;
    }
    if (tag !== 'Verse') return this.#take(this.#stocks[tag], count);
    // Every verse names the subject once, at its end, where it leads on.
    return [...this.#take(this.#stocks.Verse, count - 2), ...this.#take(this.#subjects, 2)];
  }

  #take(stock: Couplet[], count: number): string[] {
    const couplets: Couplet[] = [];
    while (couplets.length * 2 < count) {
      const next = stock.pop() ?? this.#subjects.pop();
      if (!next) break;
      couplets.push(next);
    }
    return couplets.flat().map((line) => this.#sing(line));
  }

  #sing(line: string): string {
    const subject = this.#subject;
    const opened = subject.charAt(0).toUpperCase() + subject.slice(1);
    return line.replaceAll('{s}', () => subject).replaceAll('{S}', () => opened);
  }
}

function shuffled<T>(list: readonly T[], picker: Picker): T[] {
  const left = [...list];
  return list.flatMap(() => left.splice(picker.below(left.length), 1));
}

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
