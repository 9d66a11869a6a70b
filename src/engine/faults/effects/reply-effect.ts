import { z } from 'zod';
import { REPLY_FAULTS, type ReplyFault } from '../applied-fault.ts';
import { paidWork } from '../paid-work.ts';
import { effectRow, failsByDirective } from './effect-row.ts';

const WORDS: Record<ReplyFault, string> = {
  refusal: 'refuses',
  empty: 'is empty',
  broken_json: 'is JSON that does not end',
  markup: 'is HTML with a script',
  other_language: 'is in another language',
  echo: 'repeats the last message',
  cut: 'ends in the middle, and says that it is whole',
};

/** A chat that fails by its content alone: status, charge and form are as ever [I264]. */
export const replyEffect = effectRow({
  fields: { reply: z.enum(REPLY_FAULTS).describe(`${REPLY_FAULTS.join(', ')}.`) },
  layer: 'outcome',
  domain: 'chats (/v1/chat/completions)',
  reaches: ({ paid }) => paid !== undefined && paidWork(paid).streams === true,
  acts: (request) => request.directives.status === undefined && !failsByDirective(request),
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
