import { bankOf, type ChatBanks } from './chat-banks.ts';
import type { Persona } from './persona.ts';
import { type Bank, pickPhrase, sayPhrase } from './phrase.ts';
import { Speaker, type Talk } from './speaker.ts';
import type { Picker } from './text-picker.ts';
import type { TurnReading } from './turn-reading.ts';

/** What a reply is written from. */
export interface ReplyParts {
  turn: TurnReading;
  persona: Persona;
  talk: Talk;
  picker: Picker;
  /** The smaller model says less. */
  brief: boolean;
}

/** Immersive prose: the speaker acts and speaks in the past tense, the reader is `you`. */
export function writeScene(banks: ChatBanks, parts: ReplyParts): string {
  const scene = new SceneWriter(banks, parts);
  return parts.brief ? scene.brief() : scene.full();
}

class SceneWriter {
  readonly #banks: ChatBanks;
  readonly #parts: ReplyParts;
  readonly #speaker: Speaker;

  constructor(banks: ChatBanks, parts: ReplyParts) {
    this.#banks = banks;
    this.#parts = parts;
    this.#speaker = new Speaker(parts.persona, parts.talk);
  }

  /** What happens, what is said, and what is left open: three or four paragraphs. */
  full(): string {
    const { talk, picker } = this.#parts;
    const paragraphs = [`${this.#opening()} ${this.#surroundings()}`];
    if (talk.images > 0)
      paragraphs.push(`${this.#say(this.#banks.narration.images)} "${this.#spoken('image')}"`);
    paragraphs.push(`"${this.#answer()}" ${this.#gesture()} "${this.#thought()}"`);
    const continued =
      talk.earlier === undefined ? '' : `${this.#say(this.#banks.narration.continuity)} `;
    const ending = picker.chance(2, 3) ? ` ${this.#ending()}` : '';
    paragraphs.push(`${continued}"${this.#hook()}"${ending}`);
    return paragraphs.join('\n\n');
  }

  /** The same in two paragraphs. */
  brief(): string {
    const { talk, picker } = this.#parts;
    const first = talk.images > 0 ? this.#say(this.#banks.narration.images) : this.#opening();
    const around = picker.chance(1, 2) ? ` ${this.#surroundings()}` : '';
    return `${first}${around}\n\n"${this.#answer()}" ${this.#gesture()} "${this.#hook()}"`;
  }

  #opening(): string {
    const { turn, persona, picker } = this.#parts;
    const { narration } = this.#banks;
    if (persona.bodiless) return this.#say(narration.bodiless);
    const opening = bankOf(narration.openings, turn.intent.mood, narration.gestures);
    const acted = turn.action !== undefined && picker.chance(3, 4);
    return this.#say(acted ? bankOf(narration.actions, turn.action, opening) : opening);
  }

  #surroundings(): string {
    const { persona, picker } = this.#parts;
    const { narration } = this.#banks;
    const known = [
      persona.place && narration.places[persona.place],
      persona.place && narration.places[persona.place],
      persona.time && narration.times[persona.time],
      persona.weather && narration.weather[persona.weather],
    ].filter((bank) => typeof bank === 'object');
    return this.#say(known.length > 0 ? picker.one(known) : narration.anywhere);
  }

  #gesture(): string {
    const { persona, picker } = this.#parts;
    const { narration } = this.#banks;
    if (persona.bodiless) return this.#say(narration.bodilessGestures);
    const toned = picker.chance(3, 4) ? persona.tone : undefined;
    return this.#say(bankOf(narration.tones, toned, narration.gestures));
  }

  #ending(): string {
    const { narration } = this.#banks;
    return this.#say(this.#parts.persona.bodiless ? narration.bodilessEndings : narration.endings);
  }

  #answer(): string {
    return this.#spoken(this.#parts.turn.intent.name);
  }

  /** What the topic calls to mind; where it belongs to nothing known, something true of most things. */
  #thought(): string {
    const { turn, picker } = this.#parts;
    const domain = picker.chance(4, 5) ? turn.domain : undefined;
    return this.#say(bankOf(this.#banks.dialogue.domains, domain, this.#banks.dialogue.asides));
  }

  #hook(): string {
    const { dialogue } = this.#banks;
    return this.#say(bankOf(dialogue.hooks, this.#parts.turn.intent.hook, dialogue.asides));
  }

  #spoken(intent: string): string {
    const { dialogue } = this.#banks;
    return this.#say(bankOf(dialogue.intents, intent, dialogue.asides));
  }

  #say(bank: Bank): string {
    const { picker, talk } = this.#parts;
    return sayPhrase(pickPhrase(bank, picker, talk.topic !== undefined), this.#speaker);
  }
}
