import { LIE_FAMILIES, LIES, lieRow } from '../faults/lies/lie-table.ts';
import { noSuchLie } from './mutate-settings.ts';

/** What happens under each lie, as it completes "Your tests would not notice if …". */
const WORDS: Readonly<Record<string, string>> = {
  'refund.none': 'a failed order were not refunded',
  'refund.one_of_two': 'both takes failed and only one were refunded',
  'refund.short': 'a refund were one credit short',
  'refund.twice': 'one charge were refunded twice',
  'refund.of_success': 'an order that succeeded were refunded',
  'charge.one_more': 'the price were one credit higher',
  'charge.twice': 'one order were charged twice',
  'charge.none': 'nothing were charged',
  'charge.one_take': 'two takes cost as much as one',
  'charge.blocked': 'an order that is refused for its content were charged',
  'charge.store_free': 'keeping a file cost nothing',
  'spent.zero': 'usage.credits_spent were 0',
  'spent.one_more': 'usage.credits_spent were one more than was charged',
  'remaining.stale': 'usage.credits_remaining were the balance of before the charge',
  'remaining.other': 'usage.credits_remaining were the balance of another account',
  'usage.missing': 'answers had no usage',
  'usage.text': 'the numbers of usage were strings',
  '402.as_200': 'an order without credits were answered 200 with an empty object',
  '402.as_429': 'an order without credits were answered as a rate limit',
  'hook.unsigned': 'an event came without a signature',
  'hook.other_secret': 'an event were signed with the secret of another endpoint',
  'hook.altered': 'the data of an event were changed after it was signed',
  'hook.old': 'an event were signed ten minutes ago',
  'key.any': 'a revoked or unknown key were let in',
  'list.foreign': 'a list held an object of another account',
  'url.any_signature': 'a file were served for an altered signature',
  'url.no_end': 'a file were served after its URL expired',
  'role.none': 'a member could do what only owners may',
  'event.none': 'an event were never sent',
  'event.failed_as_done': 'a failure were reported as a success',
  'event.done_as_failed': 'a success were reported as a failure',
  'event.other_job': 'an event carried the id of the other take',
  'event.takes_swapped': 'events carried take and seed of the other take',
  'event.no_error': 'the event of a failure had no error',
  'job.for_ever': 'a job never ended',
  'job.no_url': 'a finished job had no result_url',
  'job.new_status': 'a failed job had the status cancelled',
  'job.back': 'a finished job went back to processing',
  'job.404': 'an accepted job were not found',
  '202.one_job': 'an order of two takes listed one job',
  '202.swapped': 'an order listed its second take first',
  '202.as_200': 'an order were answered with the finished files instead of its jobs',
  'seed.same': 'both takes had the same seed',
  'list.cut': 'a list ended after twenty objects',
  'delete.kept': 'a deleted file were still served',
  'store.ends': 'the URL of a stored file ended after seven days',
  'run.no_wait': 'a run did not wait for its approval',
  'run.no_outputs': 'a finished run had no outputs',
  'file.other_take': 'the URL of take 2 served the file of take 1',
  'file.cut': 'a file ended half-way',
  'file.page': 'a file were an HTML page',
  'file.short': 'a file were shorter than was ordered',
  'file.small': 'a picture had a quarter of its pixels',
  'duration.asked': 'duration were what was ordered, not what the file has',
  'bytes.wrong': 'bytes were not the length of the file',
  'b64.cut': 'b64_json ended early',
  'lyrics.other': 'the lyrics were not those that were sent',
  'model.other': 'another model were used',
  'chat.empty': 'a reply were empty',
  'chat.cut_as_stop': 'half of a reply were missing',
  'chat.markup': 'a reply contained a script',
  'stream.delta_twice': 'a piece of a streamed reply came twice',
  'stream.no_usage': 'a stream ended without usage',
  'field.missing': 'the field were missing',
  'field.null': 'the field were null',
  'field.text': 'the field were a string',
  'error.no_code': 'an error had no code',
  'error.text': 'an error were a bare string',
  'error.html': 'an error were the HTML page of a proxy',
  'status.400_as_500': 'a refusal had status 500',
  'status.404_as_200': 'what does not exist were answered 200',
  'status.201_as_200': 'a creation were answered 200',
  'blocked.renamed': 'content_blocked were called content_policy',
  '429.bare': 'a rate limit came without Retry-After',
  '429.date': 'Retry-After were an HTTP date',
  'time.ms': 'times were in milliseconds',
  'time.local': 'times had no Z',
  'list.bare': 'a list were a bare array',
  'list.oldest': 'a list began with the oldest',
};

/** What each liberty of the service changes: all of it is allowed by the contract. */
const LIBERTY_WORDS: Readonly<Record<string, string>> = {
  extra_field: 'answers have one more field',
  key_order: 'fields come in another order',
  spelling: 'the same JSON is written with other spaces and escapes',
  headers: 'there is one more header, and names of headers are in another case',
  chunked: 'answers are chunked instead of having a Content-Length',
  stream_cut: 'events of a stream are cut at other bytes, with comments between them',
  message: 'errors have another message and the same code',
  cdn_path: 'files have another path',
  one_more_poll: 'a job is processing for one more read',
  unknown_event: 'an event of an unknown type comes beside',
};

/** A lie in words; of one about a field, with the field. */
export function lieInWords(lie: string, field?: string): string {
  const words = WORDS[lie] ?? lie;
  return field === undefined ? words : words.replace('the field', field);
}

export function libertyInWords(liberty: string): string {
  return LIBERTY_WORDS[liberty] ?? liberty;
}

/** All lies by family, a line each. */
export function listLies(): string {
  const width = Math.max(...LIES.map(({ name }) => name.length));
  const lines = LIE_FAMILIES.flatMap((family) => [
    family,
    ...LIES.filter((row) => row.family === family).map(({ name }) => `  ${name.padEnd(width)}  ${lieInWords(name)}`),
  ]);
  return `${lines.join('\n')}\n`;
}

/** What one lie breaks. Throws `RunFault` for a name that there is not. */
export function explainLie(name: string): string {
  const row = lieRow(name);
  if (!row) throw noSuchLie(name);
  const { family, rule, harm, sees, acts, deep } = row;
  const where = deep ? `${acts}, changed itself` : `${acts}, only as it is told`;
  return [
    `${[`${name} (${family}`, ...(rule.length > 0 ? [rule.join(' ')] : [])].join(', ')})`,
    `  what is told: ${lieInWords(name)}`,
    `  acts on:      ${where}`,
    `  harm:         ${harm}`,
    `  to see it:    ${sees}`,
    '',
  ].join('\n');
}
