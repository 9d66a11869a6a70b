import { hashText, Picker } from '../../base/random.ts';
import { type ChatBanks, type LanguageBank, loadChatBanks } from './chat-banks.ts';
import type { ChatMode, PromptMessage } from './engine-prompt.ts';
import { type Persona, readPersona } from './persona.ts';
import { type Bank, compilePhrase, type Phrase, sayPhrase } from './phrase.ts';
import { writeScene } from './scene-reply.ts';
import { type ReplyParts, Speaker } from './speaker.ts';
import { writeTexting } from './texting-reply.ts';
import { givenName, readTurn } from './turn-reading.ts';
import { scanWords } from './word-scan.ts';

/** Everything a reply depends on. */
export interface ReplyPrompt {
  model: 'svc-rp-plus' | 'svc-rp-mini';
  messages: readonly PromptMessage[];
  context?: string;
  mode: ChatMode;
  /** 0 to 1.5. */
  temperature: number;
  /** Another text here makes another reply to the same request. */
  seedText?: string;
}

export interface ReplyWriter {
  /** The reply to the last user turn: never empty, and the same for the same prompt. */
  writeReply(prompt: ReplyPrompt): string;
}

/** A writer of its own; the word banks are read when it first writes. */
export function createReplyWriter(): ReplyWriter {
  return new BankedWriter();
}

/** How far back names and earlier topics are looked for, in turns. */
const REMEMBERED_TURNS = 8;
/** In UTF-16 units; what a persona says of itself stands at the beginning. */
const PERSONA_LENGTH = 4096;
const REMEMBERED_LENGTH = 512;
const CACHED_PERSONAS = 256;
const NO_NAMES: ReadonlySet<string> = new Set();

class BankedWriter implements ReplyWriter {
  #loaded: ChatBanks | undefined;
  /** Personas come back with every turn of a conversation, so reading one again would be wasted. */
  readonly #personas = new Map<string, Persona>();

  writeReply(prompt: ReplyPrompt): string {
    const banks = this.#banks;
    const at = lastUserTurn(prompt.messages);
    const last = prompt.messages[at];
    const text = last?.text ?? '';
    const persona = this.#persona(prompt);
    const picker = new Picker(seedOf(prompt, text));
    const turn = readTurn(text, banks.lexicon, persona.names);
    const fact = turn.intent.name === 'fact' ? banks.facts.find(turn.words) : undefined;
    const earlierTurns = userTurnsBefore(prompt.messages, at);
    const parts = {
      turn,
      persona,
      picker,
      brief: prompt.model === 'svc-rp-mini',
      talk: {
        topic: turn.topic?.turned,
        earlier: this.#earlierTopic(earlierTurns, picker, turn.topic?.turned),
        userName: turn.name ?? this.#rememberedName(earlierTurns),
        images: last?.images ?? 0,
        fact,
      },
    };
    const bank = banks.languages.get(turn.language ?? '');
    if (bank && parts.talk.images === 0) return writeInLanguage(bank, parts, prompt.mode);
    return prompt.mode === 'messaging' ? writeTexting(banks, parts) : writeScene(banks, parts);
  }

  get #banks(): ChatBanks {
    this.#loaded ??= loadChatBanks();
    return this.#loaded;
  }

  #persona(prompt: ReplyPrompt): Persona {
    let text = '';
    for (const message of prompt.messages) {
      if (message.role === 'system') text += `${message.text.slice(0, PERSONA_LENGTH)}\n`;
    }
    text += (prompt.context ?? '').slice(0, PERSONA_LENGTH);
    const known = this.#personas.get(text);
    if (known) return known;
    const persona = readPersona(text, this.#banks.lexicon);
    if (this.#personas.size >= CACHED_PERSONAS) this.#personas.clear();
    this.#personas.set(text, persona);
    return persona;
  }

  /** What one of the last turns was about, every other time. */
  #earlierTopic(turns: readonly string[], picker: Picker, now: string | undefined): string | undefined {
    if (turns.length === 0 || picker.chance(1, 2)) return undefined;
    const text = picker.one(turns.slice(0, 3));
    const { topic } = readTurn(text, this.#banks.lexicon, NO_NAMES);
    return topic?.turned === now ? undefined : topic?.turned;
  }

  #rememberedName(turns: readonly string[]): string | undefined {
    for (const text of turns) {
      if (!/\b(?:name is|call me|i'm|i am)\b/i.test(text)) continue;
      const name = givenName(scanWords(text, this.#banks.lexicon).words);
      if (name !== undefined) return name;
    }
    return undefined;
  }
}

function lastUserTurn(messages: readonly PromptMessage[]): number {
  return messages.findLastIndex((message) => message.role === 'user');
}

/** The latest first. */
function userTurnsBefore(messages: readonly PromptMessage[], at: number): string[] {
  const turns: string[] = [];
  for (let index = at - 1; index >= 0 && turns.length < REMEMBERED_TURNS; index -= 1) {
    const message = messages[index];
    if (message?.role === 'user') turns.push(message.text.slice(0, REMEMBERED_LENGTH));
  }
  return turns;
}

function seedOf(prompt: ReplyPrompt, lastTurn: string): number {
  const { messages, temperature, mode, model } = prompt;
  let seed = hashText(`${model}:${mode}:${temperature}:${messages.length}`, 0);
  seed = hashText(prompt.seedText ?? '', seed);
  for (const message of messages) {
    if (message.role !== 'user') seed = hashText(message.text, seed);
  }
  seed = hashText(prompt.context ?? '', seed);
  return hashText(lastTurn, seed);
}

const NOTHING = compilePhrase('');

/** A reply in the language of the turn. It takes up the talk less closely than an English one, but never in the wrong language. */
function writeInLanguage(bank: LanguageBank, parts: ReplyParts, mode: ChatMode): string {
  const speaker = new Speaker(parts.persona, parts.talk);
  const two = (bank: Bank) => pickTwo(bank, parts).map((phrase) => sayPhrase(phrase, speaker));
  if (mode === 'messaging') {
    const mark = parts.picker.one(['', '', ' :)', ' 😅', ' 👀', ' <3']);
    return `${two(bank.texts).join('. ')}\n${two(bank.tails)[0]}${mark}`;
  }
  const [hook] = two(bank.hooks);
  const [before, between] = two(bank.narration);
  const [first, second] = two(bank.spoken);
  if (parts.brief) return `${before} "${first}"\n\n"${second} ${hook}"`;
  return `${before} "${first}"\n\n${between} "${second}"\n\n"${hook}"`;
}

/** Two different phrases of the bank. */
function pickTwo({ plain }: Bank, { picker }: ReplyParts): [Phrase, Phrase] {
  const first = picker.below(plain.length);
  const second = (first + 1 + picker.below(plain.length - 1)) % plain.length;
  return [plain[first] ?? NOTHING, plain[second] ?? NOTHING];
}
