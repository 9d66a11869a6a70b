import type { Tongue } from './chat-banks.ts';
import type { ChatMode } from './engine-prompt.ts';
import { type Bank, compilePhrase, type Phrase, sayPhrase } from './phrase.ts';
import type { ReplyParts } from './scene-reply.ts';
import { Speaker } from './speaker.ts';

const NOTHING = compilePhrase('');

/** A reply in the language of the turn. It takes up the talk less closely than an English one, but never in the wrong tongue. */
export function writeInTongue(tongue: Tongue, parts: ReplyParts, mode: ChatMode): string {
  const speaker = new Speaker(parts.persona, parts.talk);
  const two = (bank: Bank) => pickTwo(bank, parts).map((phrase) => sayPhrase(phrase, speaker));
  if (mode === 'messaging') {
    const mark = parts.picker.one(['', '', ' :)', ' 😅', ' 👀', ' <3']);
    return `${two(tongue.texts).join('. ')}\n${two(tongue.tails)[0]}${mark}`;
  }
  const [hook] = two(tongue.hooks);
  const [before, between] = two(tongue.narration);
  const [first, second] = two(tongue.spoken);
  if (parts.brief) return `${before} "${first}"\n\n"${second} ${hook}"`;
  return `${before} "${first}"\n\n${between} "${second}"\n\n"${hook}"`;
}

/** Two different phrases of the bank. */
function pickTwo({ plain }: Bank, { picker }: ReplyParts): [Phrase, Phrase] {
  const first = picker.below(plain.length);
  const second = (first + 1 + picker.below(plain.length - 1)) % plain.length;
  return [plain[first] ?? NOTHING, plain[second] ?? NOTHING];
}
