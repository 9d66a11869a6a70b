import { bankOf, type ChatBanks } from './chat-banks.ts';
import type { Persona } from './persona.ts';
import { type Bank, pickPhrase, sayPhrase } from './phrase.ts';
import { type ReplyParts, Speaker } from './speaker.ts';

/** Personas who would not write without capitals and full stops. */
const CAREFUL_TONES = new Set(['formal', 'cold', 'gruff', 'grieving']);

/** What is asked back when there is room for the weather. */
const LIGHT_HOOKS = new Set(['greet', 'answered']);
/** In UTF-16 units; a longer line stands for itself. */
const SHORT_LINE = 72;

/** One or two short lines, as people text. */
export function writeTexting(banks: ChatBanks, parts: ReplyParts): string {
  const texting = new TextingWriter(banks, parts);
  if (isCareful(parts.persona)) return texting.lines().map(sentence).join('\n');
  return texting.lines().join('\n') + texting.mark();
}

class TextingWriter {
  readonly #banks: ChatBanks['texting'];
  readonly #parts: ReplyParts;
  readonly #speaker: Speaker;

  constructor(banks: ChatBanks, parts: ReplyParts) {
    this.#banks = banks.texting;
    this.#parts = parts;
    this.#speaker = new Speaker(parts.persona, parts.talk);
  }

  lines(): string[] {
    const { turn, picker, brief } = this.#parts;
    const body = this.#body();
    const opener = this.#say(bankOf(this.#banks.openers, turn.intent.mood, this.#banks.asides));
    const first = picker.chance(3, 4) ? `${opener}, ${body}` : body;
    if (brief && picker.chance(1, 5)) return [first];
    const aside = first.length < SHORT_LINE && this.#isLight() && picker.chance(4, 5);
    return [first, aside ? `${this.#say(this.#banks.asides)}. ${this.#tail()}` : this.#tail()];
  }

  #isLight(): boolean {
    const { turn, persona } = this.#parts;
    return LIGHT_HOOKS.has(turn.intent.hook) && turn.intent.mood !== 'tense' && !isCareful(persona);
  }

  #body(): string {
    const { turn, talk } = this.#parts;
    const { intents, asides } = this.#banks;
    if (talk.images > 0) return this.#say(bankOf(intents, 'image', asides));
    return this.#say(bankOf(intents, talk.fact === undefined ? turn.intent.name : 'known', asides));
  }

  /** Mostly a question back, at times to the other by name; or something that was talked of before. */
  #tail(): string {
    const { turn, talk, picker } = this.#parts;
    const { tails, continuity, asides } = this.#banks;
    if (talk.earlier !== undefined && picker.chance(1, 2)) return this.#say(continuity);
    const tail = this.#say(bankOf(tails, turn.intent.hook, asides));
    if (talk.userName === undefined || !picker.chance(1, 4)) return tail;
    const name = `, ${talk.userName.toLowerCase()}`;
    return tail.endsWith('?') ? `${tail.slice(0, -1)}${name}?` : tail + name;
  }

  mark(): string {
    const { turn, picker } = this.#parts;
    const marks = this.#banks.marks[turn.intent.mood];
    return marks ? sayPhrase(picker.one(marks.plain), this.#speaker) : '';
  }

  #say(bank: Bank): string {
    const { picker, talk } = this.#parts;
    return sayPhrase(pickPhrase(bank, picker, talk.topic !== undefined), this.#speaker);
  }
}

function isCareful({ tone }: Persona): boolean {
  return tone !== undefined && CAREFUL_TONES.has(tone);
}

function sentence(line: string): string {
  const text = line.charAt(0).toUpperCase() + line.slice(1);
  const spoken = text.replace(/\bi\b/g, 'I');
  return /[.?!]$/.test(spoken) ? spoken : `${spoken}.`;
}
