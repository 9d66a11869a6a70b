import { equivalentJsonText, withReversedFields } from '../../base/text.ts';

export const CHANGE_DESCRIPTIONS = {
  extra_field: 'responses have an additional field',
  key_order: 'fields come in another order',
  spelling: 'the same JSON is written with other spaces and escapes',
  headers: 'responses have an additional header, and header names are in another case',
  chunked: 'responses are chunked and have no Content-Length',
  stream_cut: 'the events of a stream are split into chunks at other bytes, with comments between them',
  message: 'errors have the same code and another message',
  cdn_path: 'files have another path',
  one_more_poll: 'a job stays in processing for one more read',
  unknown_event: 'an additional event of an unknown type is sent',
} as const;

export type CompatibleChange = keyof typeof CHANGE_DESCRIPTIONS;
export const COMPATIBLE_CHANGES = Object.keys(CHANGE_DESCRIPTIONS) as [CompatibleChange, ...CompatibleChange[]];

type Json = Record<string, unknown>;

const EXTRA = { svc_note: 'A field that is newer than your client.' };

/** `text` is JSON. */
export function applyChangeToText(text: string, status: number, change: CompatibleChange | undefined): string {
  if (change === undefined || !ON_BODIES.includes(change)) return text;
  const body: unknown = JSON.parse(text);
  if (!isJson(body)) return text;
  if (change === 'spelling') return equivalentJsonText(body);
  return JSON.stringify(
    change === 'message' ? withOtherMessage(body) : status < 300 ? changedBody(body, change) : body,
  );
}

const ON_BODIES: readonly CompatibleChange[] = ['extra_field', 'key_order', 'spelling', 'message', 'cdn_path'];

export function applyChangeToEnvelope<Envelope extends { data: Json }>(
  envelope: Envelope,
  change: CompatibleChange | undefined,
): Envelope {
  if (change === 'extra_field') return { ...envelope, data: { ...envelope.data, ...EXTRA } };
  return changedBody(envelope, change) as Envelope;
}

function changedBody(body: Json, change: CompatibleChange | undefined): Json {
  if (change === 'extra_field') return { ...body, ...EXTRA };
  if (change === 'key_order') return withReversedFields(body) as Json;
  return change === 'cdn_path' ? withOtherPath(body) : body;
}

/** The path of files under the change `cdn_path`. The contract allows any URL. */
export const ALTERNATIVE_CDN_PATH = '/cdn/eu/';

function withOtherPath(body: Json): Json {
  return JSON.parse(JSON.stringify(body).replaceAll(/\/cdn\/(?=library\/|objects\/)/g, ALTERNATIVE_CDN_PATH)) as Json;
}

function withOtherMessage(body: Json): Json {
  return isJson(body.error) ? { ...body, error: { ...body.error, message: 'This cannot be done.' } } : body;
}

const NOT_YET = ['completed', 'result_url', 'content_type', 'library_id', 'duration', 'error'];

export function hideJobCompletion(job: object): object {
  const open = Object.entries(job).filter(([name]) => !NOT_YET.includes(name));
  return { ...Object.fromEntries(open), status: 'processing' };
}

/** `headers` is a flat list in which names and values alternate. */
export function applyChangeToHeaders(headers: readonly string[]): string[] {
  const named = headers.map((text, at) => (at % 2 === 0 ? capital(text) : text));
  return [...named, 'X-Svc-Region', 'eu-1'];
}

function capital(name: string): string {
  return name.replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase());
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
