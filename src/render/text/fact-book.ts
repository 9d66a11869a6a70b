import type { Word } from './word-scan.ts';

/** A fact of `fixtures/chat/facts.json`, and the words that ask for it. */
export interface FactEntry {
  /** Lower case, separated by spaces; all of them occur in the question. */
  words: string;
  fact: string;
}

/** The few things that the emulator really knows. */
export class FactBook {
  readonly #facts: readonly { words: readonly string[]; fact: string }[];

  constructor(entries: readonly FactEntry[]) {
    this.#facts = entries.map(({ words, fact }) => ({ words: words.split(' '), fact }));
  }

  /** The answer to a question, where it is known. */
  find(question: readonly Word[]): string | undefined {
    const asked = new Set(question.map((word) => word.lower));
    return this.#facts.find(({ words }) => words.every((word) => asked.has(word)))?.fact;
  }
}
