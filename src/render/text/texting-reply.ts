import { bankOf, type ChatBanks } from './chat-banks.ts';
import { type Bank, pickPhrase, sayPhrase } from './phrase.ts';
import type { ReplyParts } from './scene-reply.ts';
import { Speaker } from './speaker.ts';

/** Personas who would not write without capitals and full stops. */
const CAREFUL_TONES = new Set(['formal', 'cold', 'gruff', 'grieving']);

/** One or two short lines, as people text. */
export function writeTexting(banks: ChatBanks, parts: ReplyParts): string {
  const texting = new TextingWriter(banks, parts);
  const careful = parts.persona.tone !== undefined && CAREFUL_TONES.has(parts.persona.tone);
  return careful
    ? texting.lines().map(sentence).join('\n')
    : texting.lines().join('\n') + texting.mark();
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
    const { turn, talk, picker, brief } = this.#parts;
    const { openers, intents, tails, continuity } = this.#banks;
    const plain = bankOf(intents, 'statement', continuity);
    const body = this.#say(bankOf(intents, talk.images > 0 ? 'image' : turn.intent.name, plain));
    const opener = this.#say(bankOf(openers, turn.intent.mood, plain));
    const first = picker.chance(3, 4) ? `${opener}, ${body}` : body;
    if (brief && picker.chance(1, 2)) return [first];
    const goesOn = talk.earlier !== undefined && picker.chance(1, 2);
    const tail = goesOn ? this.#say(continuity) : this.#say(bankOf(tails, turn.intent.hook, plain));
    const name =
      talk.userName !== undefined && picker.chance(1, 4) ? `, ${talk.userName.toLowerCase()}` : '';
    return [first, `${tail}${name}${isQuestion(tail) ? '?' : ''}`];
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

function isQuestion(line: string): boolean {
  return /^(?:what|who|how|is|and then|so what|are|did|want|wait, since|scale)\b/.test(line);
}

function sentence(line: string): string {
  const text = line.charAt(0).toUpperCase() + line.slice(1);
  const spoken = text.replace(/\bi\b/g, 'I');
  return /[.?!]$/.test(spoken) ? spoken : `${spoken}.`;
}
