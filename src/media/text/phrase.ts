import type { Picker } from '../../base/random.ts';

/** Fills one slot of a phrase, such as `N` (the speaker) or `t` (what the talk is about). */
export interface SlotFiller {
  fill(slot: string): string;
}

/** A template taken apart once: literals and the slots between them. */
export interface Phrase {
  readonly literals: readonly string[];
  readonly slots: readonly string[];
}

/** Interchangeable phrases; those that name the topic stand apart, because not every talk has one. */
export interface Bank {
  readonly plain: readonly Phrase[];
  readonly topical: readonly Phrase[];
}

const TOPIC_SLOTS = new Set(['t', 'T']);

/** Takes a template such as `{N} nodded at {t}.` apart. */
export function compilePhrase(template: string): Phrase {
  const literals: string[] = [];
  const slots: string[] = [];
  for (const [index, piece] of template.split(/[{}]/).entries()) {
    (index % 2 === 0 ? literals : slots).push(piece);
  }
  return { literals, slots };
}

export function compileBank(templates: readonly string[]): Bank {
  const phrases = templates.map(compilePhrase);
  const isTopical = (phrase: Phrase) => phrase.slots.some((slot) => TOPIC_SLOTS.has(slot));
  return {
    plain: phrases.filter((phrase) => !isTopical(phrase)),
    topical: phrases.filter(isTopical),
  };
}

/** The phrase as text. */
export function sayPhrase(phrase: Phrase, filler: SlotFiller): string {
  let text = phrase.literals[0] ?? '';
  for (let index = 0; index < phrase.slots.length; index += 1) {
    text += filler.fill(phrase.slots[index] ?? '') + (phrase.literals[index + 1] ?? '');
  }
  return text;
}

/** One phrase of the bank; where there is a topic, those that name it come up twice as often. */
export function pickPhrase(bank: Bank, picker: Picker, hasTopic: boolean): Phrase {
  const plain = bank.plain.length;
  const topical = hasTopic || plain === 0 ? bank.topical.length : 0;
  const named = picker.below(plain + 2 * topical) >= plain;
  return picker.one(named ? bank.topical : bank.plain);
}
