import type { Picker } from '../../base/random.ts';
import type { Persona } from './persona.ts';
import type { SlotFiller } from './phrase.ts';
import type { TurnReading } from './turn-reading.ts';

interface Forms {
  subject: string;
  object: string;
  possessive: string;
  reflexive: string;
}

const FORMS: Record<Persona['pronoun'], Forms> = {
  she: { subject: 'she', object: 'her', possessive: 'her', reflexive: 'herself' },
  he: { subject: 'he', object: 'him', possessive: 'his', reflexive: 'himself' },
  they: { subject: 'they', object: 'them', possessive: 'their', reflexive: 'themself' },
  I: { subject: 'I', object: 'me', possessive: 'my', reflexive: 'myself' },
};

/** What a reply talks of beside its speaker. */
export interface Talk {
  topic: string | undefined;
  earlier: string | undefined;
  userName: string | undefined;
  images: number;
  /** The answer to what was asked, where it is known. */
  fact: string | undefined;
}

/** Fills the slots of one reply: names the speaker first and then, every other time, by pronoun. */
export class Speaker implements SlotFiller {
  readonly #forms: Forms;
  readonly #name: string | undefined;
  readonly #talk: Talk;
  #mentions = 0;
  #addressed = false;

  constructor(persona: Persona, talk: Talk) {
    this.#forms = FORMS[persona.pronoun];
    this.#name = persona.name;
    this.#talk = talk;
  }

  fill(slot: string): string {
    switch (slot) {
      case 'N':
        return capital(this.#mention(this.#forms.subject));
      case 'n':
        return this.#mention(this.#forms.subject);
      case 'm':
        return this.#mention(this.#forms.object);
      case 'NS':
        return capital(this.#own());
      case 'ns':
        return this.#own();
      default:
        return this.#pronoun(slot) ?? this.#talked(slot);
    }
  }

  /** By name where a pronoun would be unclear: at first, and always for those who are `they`. */
  #mention(pronoun: string): string {
    this.#mentions += 1;
    if (this.#name === undefined) return pronoun;
    const named = this.#mentions % 3 === 1 || this.#forms === FORMS.they;
    return named ? this.#name : pronoun;
  }

  #own(): string {
    const mention = this.#mention('');
    return mention === '' ? this.#forms.possessive : `${mention}'s`;
  }

  #pronoun(slot: string): string | undefined {
    switch (slot) {
      case 's':
        return this.#forms.subject;
      case 'S':
        return capital(this.#forms.subject);
      case 'o':
        return this.#forms.object;
      case 'p':
        return this.#forms.possessive;
      case 'P':
        return capital(this.#forms.possessive);
      case 'r':
        return this.#forms.reflexive;
      default:
        return undefined;
    }
  }

  #talked(slot: string): string {
    const { topic = 'it', earlier = 'it', userName, images, fact = '' } = this.#talk;
    switch (slot) {
      case 't':
        return topic;
      case 'T':
        return capital(topic);
      case 'e':
        return earlier;
      case 'u':
        return this.#address(userName);
      case 'name':
        return userName ?? 'friend';
      case 'fact':
        return fact;
      case 'Fact':
        return capital(fact);
      case 'Pic':
      case 'pic':
        return `${slot === 'Pic' ? 'The' : 'the'} ${images > 1 ? 'pictures' : 'picture'}`;
      default:
        return '';
    }
  }

  /** By name once a reply; more would sound like a salesman. */
  #address(userName: string | undefined): string {
    if (userName === undefined || this.#addressed) return '';
    this.#addressed = true;
    return `, ${userName}`;
  }
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What a reply is written from. */
export interface ReplyParts {
  turn: TurnReading;
  persona: Persona;
  talk: Talk;
  picker: Picker;
  /** The smaller model says less. */
  brief: boolean;
}
