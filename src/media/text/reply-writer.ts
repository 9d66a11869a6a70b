import { readFileSync } from 'node:fs';
import path from 'node:path';
import { packageDataFolder } from '../../base/package/package-folder.ts';
import { hashSampledText, SeededPicker } from '../../base/random.ts';
import { capitalized } from '../../base/text.ts';
import { findTopic, scanTextWords } from './topic.ts';

export type ChatMode = 'scene' | 'messaging';

export interface PromptMessage {
  role: 'system' | 'user' | 'assistant';
  text: string;
  images: number;
}

interface PromptParts {
  messages: readonly PromptMessage[];
  context?: string;
  mode: ChatMode;
}

const PREAMBLE =
  'You are a character in a shared story. Stay in the scene, answer what was said, and leave the other person room to act.';
const REGISTER = 'This is a text conversation: answer in one or two short, casual lines, without narration.';

/** System turns or a default, `context`, a note in messaging mode, then the conversation [R140 R141]. */
export function assemblePromptMessages(parts: PromptParts): PromptMessage[] {
  const prompt = parts.messages.filter((message) => message.role === 'system');
  if (prompt.length === 0) prompt.push(systemTurn(PREAMBLE));
  if (parts.context) prompt.push(systemTurn(parts.context));
  if (parts.mode === 'messaging') prompt.push(systemTurn(REGISTER));
  for (const message of parts.messages) {
    if (message.role !== 'system') prompt.push(message);
  }
  return prompt;
}

function systemTurn(text: string): PromptMessage {
  return { role: 'system', text, images: 0 };
}

export interface ReplyPrompt extends PromptParts {
  model: 'svc-rp-plus' | 'svc-rp-mini';
  temperature: number;
  seedText?: string;
}

export interface ReplyWriter {
  /** Replies to the last user turn. The reply is never empty, and is the same for the same prompt. */
  writeReply(prompt: ReplyPrompt): string;
}

type Bank<Part extends string> = Readonly<Record<Part, readonly string[]>>;

interface ReplyFile {
  scene: Bank<
    'openings' | 'around' | 'gestures' | 'answers' | 'remarks' | 'thoughts' | 'hooks' | 'looks' | 'seen' | 'endings'
  >;
  messaging: Bank<'openers' | 'answers' | 'remarks' | 'tails' | 'seen'>;
}

export function createReplyWriter(): ReplyWriter {
  let read: ReplyFile | undefined;
  return {
    writeReply: (prompt) => {
      read ??= JSON.parse(readFileSync(path.join(packageDataFolder(), 'chat/replies.json'), 'utf8')) as ReplyFile;
      return prompt.mode === 'messaging' ? text(read.messaging, prompt) : scene(read.scene, prompt);
    },
  };
}

function scene(bank: ReplyFile['scene'], prompt: ReplyPrompt): string {
  const phrases = new Phrases(prompt);
  const { images, asks } = phrases;
  const say = (part: keyof ReplyFile['scene']) => phrases.say(bank[part]);
  const first = images > 0 ? say('looks') : say('openings');
  const answer = say(images > 0 ? 'seen' : asks ? 'answers' : 'remarks');
  if (prompt.model === 'svc-rp-mini') return `${first}\n\n"${answer}" ${say('gestures')} "${say('hooks')}"`;
  const spoken = `"${answer}" ${say('gestures')} "${say('thoughts')}"`;
  const close = `"${say('hooks')}" ${say('endings')}`;
  if (phrases.picker.chance(1, 3)) return `${spoken}\n\n${first} ${say('around')}\n\n${close}`;
  return `${first} ${say('around')}\n\n${spoken}\n\n${close}`;
}

function text(bank: ReplyFile['messaging'], prompt: ReplyPrompt): string {
  const phrases = new Phrases(prompt);
  const body = phrases.say(bank[phrases.images > 0 ? 'seen' : phrases.asks ? 'answers' : 'remarks']);
  const line = phrases.picker.chance(3, 4) ? `${phrases.say(bank.openers)}, ${body}` : body;
  if (prompt.model === 'svc-rp-mini' && phrases.picker.chance(1, 3)) return line;
  return `${line}\n${phrases.say(bank.tails)}`;
}

const PRONOUNS = {
  she: { s: 'she', o: 'her', p: 'her', r: 'herself' },
  he: { s: 'he', o: 'him', p: 'his', r: 'himself' },
  they: { s: 'they', o: 'them', p: 'their', r: 'themself' },
  I: { s: 'I', o: 'me', p: 'my', r: 'myself' },
};
const PERSONA_LENGTH = 4096;
const NAMED =
  /(?:\b[Yy]ou are|\b[Yy]ou're|\bnamed|\bcalled|\bName(?: is|:)) {1,3}(\p{Lu}[\p{L}'-]{1,23}(?: \p{Lu}[\p{L}'-]{1,23}){0,2})/u;
const SHE = /\b(?:she|her|woman|girl|lady|queen|mother|sister)\b/i;
const HE = /\b(?:he|him|his|man|boy|lord|king|father|brother)\b/i;

class Phrases {
  readonly picker: SeededPicker;
  readonly images: number;
  readonly asks: boolean;
  readonly #name: string | undefined;
  readonly #forms: (typeof PRONOUNS)[keyof typeof PRONOUNS];
  readonly #topic: string | undefined;
  #mentions = 0;

  constructor(prompt: ReplyPrompt) {
    const last = prompt.messages.findLast(({ role }) => role === 'user');
    const said = last?.text ?? '';
    const persona = personaText(prompt);
    this.picker = new SeededPicker(seedOf(prompt, said));
    this.images = last?.images ?? 0;
    this.asks = said.includes('?');
    this.#name = NAMED.exec(persona)?.[1];
    this.#forms = PRONOUNS[pronounOf(persona, this.#name)];
    this.#topic = findTopic(scanTextWords(said), new Set(this.#name?.toLowerCase().split(' ')))?.turned;
  }

  say(bank: readonly string[]): string {
    const topical = this.#topic === undefined ? [] : bank.filter((phrase) => /\{[tT]\}/.test(phrase));
    const plain = bank.filter((phrase) => !/\{[tT]\}/.test(phrase));
    const isTopical = this.picker.below(plain.length + 2 * topical.length) >= plain.length;
    return this.picker
      .one(isTopical ? topical : plain)
      .replace(/\{(\w+)\}/g, (_whole, slot: string) => this.#fill(slot));
  }

  #fill(slot: string): string {
    const { s, o, p, r } = this.#forms;
    const filled: Record<string, () => string> = {
      s: () => s,
      o: () => o,
      p: () => p,
      r: () => r,
      t: () => this.#topic ?? 'it',
      pic: () => `the picture${this.images > 1 ? 's' : ''}`,
      n: () => this.#mention(s),
      m: () => this.#mention(o),
      ns: () => {
        const named = this.#mention('');
        return named === '' ? p : `${named}'s`;
      },
    };
    const lower = slot.toLowerCase();
    const said = filled[lower]?.() ?? '';
    return slot === lower ? said : capitalized(said);
  }

  #mention(pronoun: string): string {
    this.#mentions += 1;
    if (this.#name === undefined) return pronoun;
    return this.#mentions % 3 === 1 || this.#forms === PRONOUNS.they ? this.#name : pronoun;
  }
}

function personaText({ messages, context = '' }: ReplyPrompt): string {
  const described = messages.filter(({ role }) => role === 'system').map(({ text: turn }) => turn);
  return [...described, context].map((turn) => turn.slice(0, PERSONA_LENGTH)).join('\n');
}

function pronounOf(persona: string, name: string | undefined): keyof typeof PRONOUNS {
  if (name === undefined) return 'I';
  const [she, he] = [SHE.test(persona), HE.test(persona)];
  return she === he ? 'they' : she ? 'she' : 'he';
}

function seedOf(
  { messages, temperature, mode, model, seedText = '', context = '' }: ReplyPrompt,
  said: string,
): number {
  let seed = hashSampledText(seedText, hashSampledText(`${model}:${mode}:${temperature}:${messages.length}`, 0));
  for (const { role, text: turn } of messages) if (role !== 'user') seed = hashSampledText(turn, seed);
  return hashSampledText(said, hashSampledText(context, seed));
}
