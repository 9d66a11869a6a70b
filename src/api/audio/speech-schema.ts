import { z } from 'zod';
import { codePoints, directedText, optional } from '../../http/field-schemas.ts';

export const speechRequest = z.object({
  input: directedText({ min: 1, max: 4096 }).describe('the text to speak, 1 to 4,096 characters.'),
  voice: z.enum(['aria', 'orion']).describe('aria or orion.'),
  model: optional(z.string()).describe('svc-voice-one, the default.'),
});

/** What a body comes to: the text without its directives, its length, and these. */
export function readSpeech({ input, voice }: z.output<typeof speechRequest>) {
  const { text, directives } = input;
  return { text, characters: codePoints(text), voice, directives };
}
