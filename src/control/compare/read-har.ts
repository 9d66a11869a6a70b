import * as zlib from 'node:zlib';
import { z } from 'zod';
import { invalidRequestError, systemErrorCode } from '../../base/errors.ts';
import { tryParseJson } from '../../base/text.ts';

export const MAX_HAR_MIB = 50;
/** The limit of one decompressed body bounds the memory, and that of all bodies the time. */
const MAX_BODY_MIB = 16;
const MAX_BODIES_MIB = 500;
const MIB = 1_048_576;

export type HarEntry = ReturnType<typeof parseHar>[number];

const size = z.number().nullish();
const text = z.string().nullish();
const headers = z.array(z.object({ name: z.string(), value: z.string() })).nullish();
const content = z.object({ mimeType: text, text, encoding: text, size }).nullish();
const message = { headers, headersSize: size, bodySize: size, _transferSize: size };

const harFile = z.object({ log: z.object({ entries: z.array(z.unknown()) }) });
const harEntry = z.object({
  // HTTP Toolkit writes binary bodies to `_content`, because `postData` has no encoding.
  request: z.object({ ...message, method: z.string(), url: z.string(), postData: content, _content: content }),
  response: z.object({ ...message, status: z.int().nullish(), content }).nullish(),
});

/**
 * `status` is 0 without a response. `sent` and `received` decode the body at each call, so that no decoded body stays in
 * memory. Their result is undefined if the HAR lacks the body, or if it is unreadable and cut. They throw
 * `invalid_request` if it is too large.
 */
export function parseHar(file: string) {
  const budget = { left: MAX_BODIES_MIB * MIB };
  const json = tryParseJson(file);
  if (json === undefined) throw notHar('it is not valid JSON');
  const { entries } = checked(harFile, json, []).log;
  return entries.map((entry, position) => {
    const { request, response } = checked(harEntry, entry, ['log', 'entries', position]);
    const at = { number: position + 1, budget };
    const answered = response?.content;
    return {
      number: position + 1,
      method: request.method.toUpperCase(),
      url: URL.canParse(request.url) ? new URL(request.url) : undefined,
      status: response?.status ?? 0,
      type: (answered?.mimeType || headerOf(response, 'content-type')).replace(/;.*/s, '').trim().toLowerCase(),
      sent: () =>
        readBody(request.postData?.text ? request.postData : (request._content ?? request.postData), request, at),
      received: () => readBody(answered, response, at),
    };
  });
}

function checked<T>(schema: z.ZodType<T>, value: unknown, before: readonly PropertyKey[]): T {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const place = [...before, ...(read.error.issues[0]?.path ?? [])].join('.');
  throw notHar(place === '' ? 'it is not a JSON object' : `${place} is missing or has another type`);
}

function notHar(fault: string): Error {
  const remedy = 'Record one with the developer tools of a browser ("Save all as HAR with content")';
  return invalidRequestError(null, `it is not a HAR, because ${fault}. ${remedy}`);
}

type Message = Partial<z.output<z.ZodObject<typeof message>>>;
type Content = z.output<typeof content>;
interface Place {
  number: number;
  budget: { left: number };
}

function headerOf(message: Message | null | undefined, wanted: string): string {
  return message?.headers?.find(({ name }) => name.toLowerCase() === wanted)?.value ?? '';
}

/** Tools may state wrong encodings, so this tries several, and prefers a result that is JSON or an event stream. */
function readBody(recorded: Content, from: Message | null | undefined, place: Place): string | undefined {
  if (typeof recorded?.text !== 'string') return undefined;
  const type = recorded.mimeType || headerOf(from, 'content-type');
  const codings = headerOf(from, 'content-encoding').toLowerCase().split(',').reverse();
  let unreadable: string | undefined;
  for (const form of formsOf(recorded.text, recorded.encoding)) {
    let read = '';
    for (const bytes of layersOf(form, codings, place)) {
      read = typeof bytes === 'string' ? bytes.replace(/^\uFEFF/, '') : decodeText(bytes, type);
      if (isReadable(read)) return read;
    }
    unreadable ??= read;
  }
  return unreadable === undefined || isCut(unreadable, recorded, from) ? undefined : unreadable;
}

const BASE64 = /^[\w+/=\s-]+$/;

function formsOf(text: string, encoding: string | null | undefined): (string | Buffer)[] {
  const decoded = BASE64.test(text) ? [Buffer.from(text, 'base64')] : [];
  return encoding?.toLowerCase() === 'base64' ? [...decoded, text] : [text, ...decoded];
}

/** The body as recorded comes first: tools may keep `content-encoding` with a body that they have decompressed. */
function* layersOf(form: string | Buffer, codings: readonly string[], place: Place): Generator<string | Buffer> {
  yield form;
  const bytes = typeof form === 'string' ? Buffer.from(form, 'latin1') : form;
  for (const chain of [codings, ['gzip'], ['deflate'], ['br']]) {
    let plain: Buffer | undefined = bytes;
    for (const coding of chain) plain &&= decompress(plain, coding.trim(), place);
    if (plain !== undefined) yield plain;
  }
}

type Decompress = (bytes: Buffer, options: { maxOutputLength: number }) => Buffer;
const CODINGS = new Map<string, readonly Decompress[]>([
  ['gzip', [zlib.gunzipSync]],
  // Also tries raw deflate, because some servers leave out the header of zlib.
  ['deflate', [zlib.inflateSync, zlib.inflateRawSync]],
  ['br', [zlib.brotliDecompressSync]],
  // There is no decoder in versions of Node without zstd, such as 20.
  ['zstd', 'zstdDecompressSync' in zlib ? [zlib.zstdDecompressSync as Decompress] : []],
]);

function decompress(bytes: Buffer, coding: string, { number, budget }: Place): Buffer | undefined {
  const most = Math.min(MAX_BODY_MIB * MIB, budget.left);
  for (const run of CODINGS.get(coding) ?? []) {
    try {
      const plain = run(bytes, { maxOutputLength: Math.max(most, 1) });
      budget.left -= plain.length;
      return plain;
    } catch (error) {
      if (systemErrorCode(error) === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(number, budget.left);
    }
  }
  return undefined;
}

function tooLarge(number: number, left: number): Error {
  return invalidRequestError(
    null,
    left < MAX_BODY_MIB * MIB
      ? `the bodies up to entry ${number} are over ${MAX_BODIES_MIB} MiB when decompressed. Split the recording`
      : `the body of entry ${number} is over ${MAX_BODY_MIB} MiB when decompressed. Remove this entry`,
  );
}

const MARKS: readonly [string, string][] = [
  ['efbbbf', 'utf-8'],
  ['fffe', 'utf-16le'],
  ['feff', 'utf-16be'],
];

export function decodeText(bytes: Buffer, type = ''): string {
  const start = bytes.toString('hex', 0, 3);
  const marked = MARKS.find(([mark]) => start.startsWith(mark))?.[1];
  const charset = /charset="?([\w-]+)/i.exec(type)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(marked ?? charset).decode(bytes);
  } catch {
    return bytes.toString('utf8');
  }
}

function isReadable(text: string): boolean {
  if (tryParseJson(text) !== undefined) return true;
  let count = 0;
  for (const event of parseEventStreamData(text)) {
    if (event !== '[DONE]' && tryParseJson(event) === undefined) return false;
    count += 1;
  }
  return count > 0;
}

export function* parseEventStreamData(text: string): Generator<string> {
  for (const line of text.split(/\r\n?|\n/)) if (line.startsWith('data:')) yield line.slice(5).trim();
}

function isCut(read: string, { size }: NonNullable<Content>, from: Message | null | undefined): boolean {
  if ((size ?? 0) > Buffer.byteLength(read)) return true;
  const received = (from?._transferSize ?? 0) - Math.max(from?.headersSize ?? 0, 0);
  return read === '' && Math.max(received, from?.bodySize ?? 0, Number(headerOf(from, 'content-length')) || 0) > 0;
}
