import { z } from 'zod';
import { mergeDirectives } from '../../../engine/faults/directives.ts';
import { assemblePrompt, type PromptMessage } from '../../../media/text/reply-writer.ts';
import type { MatchKey } from '../../fixtures/fixture-schema.ts';
import { directedText } from '../../http/directed-text.ts';
import { optional, whole, withDefault } from '../../http/input.ts';
import { refusals } from '../../http/issue-text.ts';
import { modelOf, unixTime, usage } from '../usage-schema.ts';

const imageUrl = z.string().superRefine((url, context) => {
  if (/^(?:data:image\/|https?:\/\/)/i.test(url)) return;
  context.addIssue({ code: 'custom', message: 'must be a data:image/… or an http(s) URL.' });
});

/** Turns of a conversation and parts of a turn are limited, because each is read. */
const MOST_MESSAGES = 4096;
const MOST_PARTS = 1024;

const PART_TYPES = 'text or image_url.';
const textPart = z.object({
  type: z.literal('text').describe(PART_TYPES),
  text: directedText().describe('a text.'),
});
const imagePart = z.object({
  type: z.literal('image_url').describe(PART_TYPES),
  image_url: z
    .union([imageUrl, z.object({ url: imageUrl })])
    .register(refusals, { choice: 'C059' })
    .describe('an object whose url is a data:image/… or http(s) URL, or that URL itself.'),
});

const message = z
  .object({
    role: z.enum(['system', 'user', 'assistant']).describe('system, user or assistant.'),
    content: z
      .union([directedText(), z.array(z.discriminatedUnion('type', [textPart, imagePart])).max(MOST_PARTS)])
      .describe('a string, or on user turns an array of text and image_url parts.'),
  })
  .superRefine(({ role, content }, context) => {
    if (role === 'user' || !Array.isArray(content)) return;
    const fault = `must be a string on ${role} turns; only user turns carry parts.`;
    context.addIssue({ code: 'custom', path: ['content'], message: fault });
  });

/** Tokens of a reply: default and maximum of each mode. */
const TOKENS = { scene: { standard: 500, most: 1200 }, messaging: { standard: 160, most: 160 } };

/** `max_tokens` gets the default of its mode. */
export const chatRequest = z
  .object({
    model: modelOf('chat').describe('svc-rp-plus or svc-rp-mini.'),
    messages: z
      .array(message)
      .min(1)
      .max(MOST_MESSAGES)
      .register(refusals, { choice: 'C058', only: 'too_small' })
      .describe('the conversation so far, 1 to 4096 messages.'),
    context: optional(directedText()).describe('a persona, scene or lore block.'),
    mode: withDefault(z.enum(['scene', 'messaging']), 'scene').describe('scene (the default) or messaging.'),
    stream: withDefault(z.boolean(), false).describe('true to receive the reply as server-sent events.'),
    temperature: withDefault(z.number().min(0).max(1.5), 0.8).describe('a number from 0 to 1.5, by default 0.8.'),
    max_tokens: optional(whole(1, TOKENS.scene.most).register(refusals, { choice: 'C063', only: 'too_big' })).describe(
      'a whole number from 1 to 1200, by default 500; in messaging mode at most and by default 160.',
    ),
  })
  .superRefine(({ mode, max_tokens = 1 }, context) => {
    const { most } = TOKENS[mode];
    if (max_tokens <= most) return;
    const fault = `must be at most ${most} in ${mode} mode; got ${max_tokens}.`;
    context.addIssue({ code: 'custom', path: ['max_tokens'], message: fault, params: { choice: 'C063' } });
  });

export type ChatBody = z.output<typeof chatRequest>;

/** Paths of `image_url.detail` with the value `auto`, by which clients ask for nothing in particular; of a validated body. */
export function automaticDetails(body: Record<string, unknown>): string[] {
  const { messages } = body as { messages: readonly { content: unknown }[] };
  return messages.flatMap(({ content }, turn) => {
    if (!Array.isArray(content)) return [];
    const isAutomatic = (part: { image_url?: { detail?: unknown } }) => part.image_url?.detail === 'auto';
    return content.flatMap((part, at) =>
      isAutomatic(part) ? [`messages.${turn}.content.${at}.image_url.detail`] : [],
    );
  });
}

/** The last user turn, and the number of user turns. */
export function matchKeyOfChat({ model, messages }: ChatBody): MatchKey {
  const turns = messages.filter(({ role }) => role === 'user');
  const content = turns.at(-1)?.content;
  return { model, message: content && textOf(content), turn: turns.length };
}

function textOf(content: ChatBody['messages'][number]['content']): string {
  if (!Array.isArray(content)) return content.text;
  return content.flatMap((part) => (part.type === 'text' ? [part.text.text] : [])).join('\n');
}

export function readChat(body: ChatBody) {
  const turns = body.messages.map(({ role, content }) => {
    if (!Array.isArray(content)) return { role, images: 0, ...content };
    const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
    return {
      role,
      images: content.length - texts.length,
      text: texts.map(({ text }) => text).join('\n'),
      directives: texts.map(({ directives }) => directives).reduce(mergeDirectives, {}),
    };
  });
  const { context } = body;
  return {
    model: body.model,
    messages: turns.map(({ role, text, images }) => ({ role, text, images })),
    context: context?.text,
    mode: body.mode,
    temperature: body.temperature,
    maxTokens: body.max_tokens ?? TOKENS[body.mode].standard,
    directives: turns.reduce((all, turn) => mergeDirectives(all, turn.directives), context?.directives ?? {}),
  };
}

/** The five documented fields and no others. */
export const chatCompletion = z.strictObject({
  id: z.string(),
  object: z.literal('chat.completion'),
  model: z.string(),
  choices: z.array(
    z.strictObject({
      index: z.int(),
      message: z.strictObject({ role: z.literal('assistant'), content: z.string() }),
      finish_reason: z.enum(['stop', 'length']),
    }),
  ),
  usage,
});

export const chatChunk = z.strictObject({
  id: z.string(),
  object: z.literal('chat.completion.chunk'),
  created: unixTime,
  model: z.string(),
  choices: z.array(
    z.strictObject({
      index: z.int(),
      delta: z.strictObject({
        role: z.literal('assistant').optional(),
        content: z.string().optional(),
      }),
      finish_reason: z.enum(['stop', 'length']).nullable(),
    }),
  ),
  usage: usage.optional(),
});

/** Undefined if the body is not a chat. */
export function enginePromptOf(body: string): PromptMessage[] | undefined {
  const read = chatRequest.safeParse(JSON.parse(body));
  if (!read.success) return undefined;
  const { messages, context, mode } = readChat(read.data);
  return assemblePrompt({ messages, mode, ...(context ? { context } : {}) });
}
