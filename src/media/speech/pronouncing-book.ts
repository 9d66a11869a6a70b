import { join } from 'node:path';
import { fixtureFolder } from '../../base/package/fixture-folder.ts';
import { readPacked, SortedLines } from '../packed-file.ts';

/** The letters about a letter in the order in which they tell how it sounds, as `build-pronunciations.mjs` has it. */
const CONTEXT = [0, 1, -1, 2, -2, 3, -3, 4, -4];
const STRESSABLE = /[AæVOàáERéIióòUu]/;

/** How English words are pronounced: letters of the table of phones, `'` and `,` before a vowel that is stressed. */
export class PronouncingBook {
  readonly #words: SortedLines;
  readonly #spelling: SortedLines;

  constructor(path = join(fixtureFolder(), 'speech/english.br')) {
    const bytes = readPacked(path);
    this.#words = new SortedLines(bytes, 0);
    this.#spelling = new SortedLines(bytes, this.#words.end + 1);
  }

  /** The sounds of a word of small letters and apostrophes; what the dictionary lacks is read as words like it are. */
  soundsOf(word: string): string {
    const known = this.#known(word);
    if (known !== undefined) return known;
    const [, owner = '', mark = ''] = /^(.+?)('s?)$/.exec(word) ?? [];
    if (mark !== '') return this.soundsOf(owner) + (mark === "'s" ? endingOf(this.soundsOf(owner)) : '');
    return /[aeiouy]/.test(word) ? this.#spelled(word.replaceAll("'", '')) : this.named(word);
  }

  /** The names of letters, one after the other. */
  named(letters: string): string {
    return Array.from(letters, (letter) => (letter === 'a' ? "'é" : (this.#known(letter) ?? ''))).join('');
  }

  #known(word: string): string | undefined {
    return this.#words.find(Buffer.from(word, 'latin1'));
  }

  #spelled(word: string): string {
    const sounds = Array.from(word, (_, at) => this.#letterIn(word, at)).join('');
    return sounds.includes("'") ? sounds : sounds.replace(STRESSABLE, "'$&");
  }

  /** The longest context of a letter that is known tells. */
  #letterIn(word: string, at: number): string {
    const context = Buffer.from(CONTEXT.map((step) => word[at + step] ?? '_').join(''), 'latin1');
    for (let length = context.length; length > 0; length--) {
      const sounds = this.#spelling.find(context.subarray(0, length));
      if (sounds !== undefined) return sounds;
    }
    return '';
  }
}

/** What `'s` sounds like behind the last sound of a word. */
function endingOf(sounds: string): string {
  const last = sounds.at(-1) ?? '';
  if ('szSZCJ'.includes(last)) return 'Iz';
  return 'ptkfT'.includes(last) ? 's' : 'z';
}
