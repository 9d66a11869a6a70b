import type { Picker } from '../../render/text/text-picker.ts';
import type { Chorus, Couplet, LyricBank, SongMood } from './song-banks.ts';
import { type FormStep, formOf, type SectionTag } from './song-form.ts';

/** What lyrics are written about. */
export interface LyricOrder {
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
