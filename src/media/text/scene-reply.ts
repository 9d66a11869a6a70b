import { bankOf, type ChatBanks } from './chat-banks.ts';
import type { Mood } from './intent.ts';
import { type Bank, pickPhrase, sayPhrase } from './phrase.ts';
import { type ReplyParts, Speaker } from './speaker.ts';

/** Immersive prose: the speaker acts and speaks in the past tense, the reader is `you`. */
export function writeScene(banks: ChatBanks, parts: ReplyParts): string {
  const scene = new SceneWriter(banks, parts);
  return parts.brief ? scene.brief() : scene.full();
}

/** How often, of six times, a mood leaves room for a thought about the topic. */
const THOUGHTFUL: Record<Mood, number> = {
  plain: 5,
  warm: 4,
  playful: 4,
  tender: 3,
  guarded: 1,
  tense: 0,
};

/** Answers that stand for themselves. */
const TELLINGS = new Set(['story', 'poem']);

class SceneWriter {
  readonly #banks: ChatBanks;
  readonly #parts: ReplyParts;
  readonly #speaker: Speaker;

  constructor(banks: ChatBanks, parts: ReplyParts) {
    this.#banks = banks;
    this.#parts = parts;
    this.#speaker = new Speaker(parts.persona, parts.talk);
  }

  /** What happens, what is said and what is left open, in one of four orders. */
  full(): string {
    const { turn, talk, picker } = this.#parts;
    if (TELLINGS.has(turn.intent.name)) return this.#telling();
    if (talk.images > 0) return this.#seeing();
    const order = picker.below(4);
    if (order === 0) return this.#speakingFirst();
    if (order === 1) return this.#speakingAtOnce();
    return `${this.#opening()} ${this.#surroundings()}\n\n${this.#speech()}\n\n${this.#close()}`;
  }

  /** The same in two paragraphs. */
  brief(): string {
    const { talk, picker } = this.#parts;
    const first = talk.images > 0 ? this.#look() : this.#opening();
    const around = picker.chance(1, 2) ? ` ${this.#surroundings()}` : '';
    return `${first}${around}\n\n"${this.#answer()}" ${this.#gesture()} "${this.#hook()}"`;
  }

  #speakingFirst(): string {
    const first = `"${this.#answer()}" ${this.#gesture()}`;
    return `${first}\n\n${this.#surroundings()} "${this.#thought()}"\n\n${this.#close()}`;
  }

  #speakingAtOnce(): string {
    const first = `${this.#opening()} "${this.#answer()}"`;
    return `${first}\n\n${this.#surroundings()} ${this.#gesture()}\n\n"${this.#thought()} ${this.#hook()}"`;
  }

  #telling(): string {
    const first = `${this.#opening()} ${this.#surroundings()}`;
    return `${first}\n\n"${this.#answer()}"\n\n${this.#gesture()} ${this.#close()}`;
  }

  #seeing(): string {
    const first = `${this.#opening()} ${this.#surroundings()}`;
    const seen = `${this.#look()} "${this.#spoken('image')}"`;
    return `${first}\n\n${seen}\n\n${this.#speech()}`;
  }

  #speech(): string {
    return `"${this.#answer()}" ${this.#gesture()} "${this.#thought()}"`;
  }

  #close(): string {
    const { talk, picker } = this.#parts;
    const continued = talk.earlier && `${this.#say(this.#banks.narration.continuity)} `;
    const hook = `${continued ?? ''}"${this.#hook()}"`;
    return picker.chance(2, 3) ? `${hook} ${this.#ending()}` : hook;
  }

  #look(): string {
    const { bodilessImages, images } = this.#banks.narration;
    return this.#say(this.#parts.persona.bodiless ? bodilessImages : images);
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
    const { turn, talk } = this.#parts;
    return this.#spoken(talk.fact === undefined ? turn.intent.name : 'known');
  }

  /** What the topic calls to mind, or something that suits the mood. */
  #thought(): string {
    const { turn, picker } = this.#parts;
    const domain = picker.chance(THOUGHTFUL[turn.intent.mood], 6) ? turn.domain : undefined;
    return this.#say(bankOf(this.#banks.dialogue.domains, domain, this.#asides));
  }

  #hook(): string {
    return this.#say(bankOf(this.#banks.dialogue.hooks, this.#parts.turn.intent.hook, this.#asides));
  }

  #spoken(intent: string): string {
    return this.#say(bankOf(this.#banks.dialogue.intents, intent, this.#asides));
  }

  get #asides(): Bank {
    const { asides } = this.#banks.dialogue;
    return bankOf(asides, this.#parts.turn.intent.mood, this.#banks.narration.anywhere);
  }

  #say(bank: Bank): string {
    const { picker, talk } = this.#parts;
    return sayPhrase(pickPhrase(bank, picker, talk.topic !== undefined), this.#speaker);
  }
}
