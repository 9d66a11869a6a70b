import { z } from 'zod';
import { integerBetween, optional } from '../../../base/schemas.ts';
import { countWithNoun } from '../../../base/text.ts';
import { paidOperationTraits } from '../../catalogue/catalogue.ts';
import { type ChatReplyFault, REPLY_FAULTS, type StreamFault } from '../request-faults.ts';
import {
  defineEffect,
  formatGroupedNumber,
  isFailedByDirective,
  MAX_EFFECT_DELAY_MS,
  makeAtLeastOneFieldCheck,
  withoutNullishFields,
} from './effect-definition.ts';

const MAX_EVENTS = 1_000_000;

const FIELDS = ['ttft_ms', 'interval_ms', 'cut_after', 'malformed_at', 'omit_done'] as const;

const stream = z
  .strictObject({
    ttft_ms: optional(integerBetween(0, MAX_EFFECT_DELAY_MS)).describe(
      'milliseconds before the first event, 0 to 600000.',
    ),
    interval_ms: optional(integerBetween(0, MAX_EFFECT_DELAY_MS)).describe(
      'milliseconds between two events, 0 to 600000.',
    ),
    cut_after: optional(integerBetween(1, MAX_EVENTS)).describe(
      'the number of events before the connection breaks, 1 or more.',
    ),
    malformed_at: optional(integerBetween(1, MAX_EVENTS)).describe('the number of the malformed event, from 1.'),
    omit_done: optional(z.boolean()).describe('true to omit data: [DONE].'),
  })
  .superRefine(makeAtLeastOneFieldCheck(FIELDS, 'stream'))
  .superRefine(({ cut_after, malformed_at }, context) => {
    if (cut_after === undefined || malformed_at === undefined || malformed_at <= cut_after) return;
    const message = `is an event that is never sent, since the stream is cut after ${cut_after}; make it at most ${cut_after}.`;
    context.addIssue({ code: 'custom', path: ['malformed_at'], message });
  })
  .transform(withoutNullishFields);

const MILLISECONDS = { type: 'number', min: 0, max: MAX_EFFECT_DELAY_MS, isOptional: true } as const;
const EVENTS = { type: 'number', min: 1, isOptional: true } as const;

export const streamEffect = defineEffect({
  fields: { stream: stream.describe(`an object with one or more of ${FIELDS.join(', ')}.`) },
  layer: 'request',
  domain: 'streamed chats (/v1/chat/completions)',
  reaches: ({ paid }) => paid !== undefined && paidOperationTraits(paid).streams === true,
  acts: (request) => request.directives.status === undefined && request.streamed && !isFailedByDirective(request),
  changes: ({ stream: fault }) => ({ stream: fault }),
  words({ stream: { ttft_ms: first, interval_ms: interval, cut_after: cut, malformed_at: broken, omit_done } }) {
    const parts = [
      first && `begins after ${formatGroupedNumber(first)} ms`,
      interval && `waits ${formatGroupedNumber(interval)} ms between events`,
      broken && `breaks event ${broken}`,
      cut && `dies after ${countWithNoun(cut, 'event')}`,
      omit_done && 'never says [DONE]',
    ];
    return `Stream ${parts.filter(Boolean).join(', ')}`;
  },
  form: {
    text: 'Spoil a stream',
    shape: 'nested',
    fields: [
      { ...MILLISECONDS, name: 'ttft_ms', label: 'Milliseconds before the first event' },
      { ...MILLISECONDS, name: 'interval_ms', label: 'Milliseconds between events' },
      { ...EVENTS, name: 'cut_after', label: 'Events before the connection breaks', value: '5' },
      { ...EVENTS, name: 'malformed_at', label: 'Event that is not JSON' },
      { name: 'omit_done', label: 'Leave out [DONE]', type: 'switch' },
    ],
  },
  presets: [
    {
      text: 'Stream cut',
      note: 'The next streamed chat breaks after five events',
      match: { path: '/v1/chat/completions' },
      effect: { stream: { cut_after: 5 } },
      times: 1,
    },
  ],
});

class StreamCut extends Error {
  override name = 'StreamCut';
}

/**
 * Milliseconds between the last event and a reset. Without this wait, the client would drop what it has not read yet.
 */
const FLUSH_MS = 60;

/**
 * Applies a fault to the events of a stream. Events count from 1, including `[DONE]`, and `pause` takes milliseconds.
 * Throws `StreamCut` after the last event before a reset; a shorter stream ends as usual [I141 I197].
 */
export async function* applyStreamFault(
  events: Iterable<string> | AsyncIterable<string>,
  fault: StreamFault,
  pause: (milliseconds: number) => Promise<void>,
): AsyncGenerator<string> {
  let n = 0;
  for await (const event of events) {
    if (fault.omit_done && event === '[DONE]') return;
    n += 1;
    await pause((n === 1 ? fault.ttft_ms : fault.interval_ms) ?? 0);
    yield n === fault.malformed_at ? malformed(event) : event;
    if (n !== fault.cut_after) continue;
    await pause(FLUSH_MS);
    throw new StreamCut(`cut after ${countWithNoun(n, 'event')}`);
  }
}

function malformed(event: string): string {
  return event.slice(0, Math.ceil(event.length / 2));
}

const WORDS: Record<ChatReplyFault, string> = {
  refusal: 'refuses',
  empty: 'is empty',
  broken_json: 'is JSON that does not end',
  markup: 'is HTML with a script',
  other_language: 'is in another language',
  echo: 'repeats the last message',
  cut: 'ends in the middle, and says that it is whole',
};

/** Corrupts the text of a reply. The status, the charge and the form of the response stay the same [I264]. */
export const replyEffect = defineEffect({
  fields: { reply: z.enum(REPLY_FAULTS).describe(`one of ${REPLY_FAULTS.join(', ')}.`) },
  layer: 'outcome',
  domain: 'chats (/v1/chat/completions)',
  reaches: ({ paid }) => paid !== undefined && paidOperationTraits(paid).streams === true,
  acts: (request) => request.directives.status === undefined && !isFailedByDirective(request),
  changes: ({ reply }) => ({ reply }),
  words: ({ reply }) => `Reply ${WORDS[reply]}`,
  form: {
    text: 'Corrupt a reply',
    shape: 'flat',
    fields: [
      {
        name: 'reply',
        label: 'The reply of the chat',
        type: 'options',
        options: REPLY_FAULTS.map((each) => [each, `It ${WORDS[each]}`] as const),
        value: 'refusal',
      },
    ],
  },
});
