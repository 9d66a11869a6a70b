import { respelledJson, reversedFields } from '../../base/text.ts';
import { findProgression } from '../../engine/jobs/progression-store.ts';
import { CONTENT } from './content.ts';
import { MONEY } from './money.ts';
import { type Actor, type Actors, type Answer, actOnBody, actOnError, isJson, type Json } from './violation.ts';
import type { CompatibleChange } from './violation-table.ts';
import { WORK } from './work.ts';

/** Belongs to no account, is older than every object, and has a readable URL. */
const FOREIGN = {
  id: `obj_${'0'.repeat(20)}`,
  object: 'storage.object',
  bytes: 4096,
  content_type: 'text/plain',
  created_at: '2020-01-01T00:00:00.000Z',
};

const SECURITY: Readonly<Record<string, Actor>> = {
  'list.foreign': actOnBody((body, { operation, query, baseUrl }) => {
    if (operation !== 'listObjects' || query.after !== undefined || !Array.isArray(body.data)) return undefined;
    const { id, object, ...rest } = FOREIGN;
    return { ...body, data: [...body.data, { id, object, url: `${baseUrl}/llms.txt`, ...rest }] };
  }),
};

const EXTRA = { svc_note: 'A field that is newer than your client.' };

function capital(name: string): string {
  return name.replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase());
}

function withHeaders(answer: Answer): Answer {
  const headers = Object.entries(answer.headers).map(([name, value]) => [capital(name), value] as const);
  return { ...answer, headers: { ...Object.fromEntries(headers), 'X-Svc-Region': 'eu-1' } };
}

/** Another address of the same file on the CDN. */
function otherPath<Value>(value: Value): Value | undefined {
  const text = JSON.stringify(value);
  const next = text.replaceAll(/\/cdn\/(?=library\/|objects\/)/g, '/cdn/eu/');
  return next === text ? undefined : (JSON.parse(next) as Value);
}

const otherMessage = actOnError((answer, error) => ({
  ...answer,
  body: { error: { ...error, message: 'This cannot be done.' } },
}));

/** A final job appears in progress at its first read, unless a test set the progression of the account. */
const onePollMore: Actor = actOnBody((job, { operation, memory, db, accountId }) => {
  if (operation !== 'getSong' && operation !== 'getVideo') return undefined;
  if (findProgression(db, accountId).accountId !== undefined) return undefined;
  const id = String(job.id);
  if (job.completed === undefined || memory.has(id)) return undefined;
  memory.set(id, 1);
  const names = ['completed', 'result_url', 'content_type', 'library_id', 'duration', 'error'];
  const open = Object.entries(job).filter(([name]) => !names.includes(name));
  return { ...Object.fromEntries(open), status: 'processing' };
});

const CHANGE_ACTORS: Readonly<Record<CompatibleChange, Actor>> = {
  extra_field: {
    ...actOnBody((body) => ({ ...body, ...EXTRA })),
    stream: (chunks) => chunks.map((chunk) => ({ ...chunk, ...EXTRA })),
    event: (envelope) => ({ ...envelope, data: { ...envelope.data, ...EXTRA } }),
  },
  key_order: {
    ...actOnBody((body) => reversedFields(body) as Json),
    stream: (chunks) => chunks.map((chunk) => reversedFields(chunk) as Json),
    event: (envelope) => reversedFields(envelope) as typeof envelope,
  },
  spelling: {
    answer: (answer) => (isJson(answer.body) ? { ...answer, text: respelledJson(answer.body) } : undefined),
  },
  headers: { answer: withHeaders },
  chunked: { answer: (answer) => ({ ...answer, isChunked: true }) },
  stream_cut: { stream: (chunks) => [...chunks] },
  message: otherMessage,
  cdn_path: { ...actOnBody(otherPath), event: otherPath },
  one_more_poll: onePollMore,
  unknown_event: {},
};

export const ACTORS: Actors = new Map<string, Actor>(
  Object.entries({ ...MONEY, ...SECURITY, ...WORK, ...CONTENT, ...CHANGE_ACTORS }),
);
