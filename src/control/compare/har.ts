import { gunzipSync } from 'node:zlib';
import { z } from 'zod';
import { invalid } from '../../base/errors.ts';
import { parsedJson } from '../../base/text.ts';

/** MiB. */
export const MOST_HAR_MIB = 50;
const MOST_BODY = MOST_HAR_MIB * 1_048_576;

const content = z.looseObject({
  mimeType: z.string().nullish(),
  text: z.string().nullish(),
  encoding: z.string().nullish(),
});

const harFile = z.looseObject({
  log: z.looseObject({
    entries: z.array(
      z.looseObject({
        request: z.looseObject({
          method: z.string(),
          url: z.string(),
          postData: z.looseObject({ mimeType: z.string().nullish(), text: z.string().nullish() }).nullish(),
        }),
        response: z.looseObject({ status: z.int(), content: content.nullish() }),
      }),
    ),
  }),
});

/** Texts are undefined if the HAR does not contain them. */
export interface HarEntry {
  /** From 1, in the order of the file. */
  number: number;
  method: string;
  url: URL | undefined;
  sent: { type: string; text: string } | undefined;
  status: number;
  received: { type: string; text: string | undefined };
}

/** Throws `invalid_request` for any other file. */
export function readHar(text: string): HarEntry[] {
  const read = harFile.safeParse(parsedJson(text));
  if (!read.success) {
    const [issue] = read.error.issues;
    throw invalid(
      null,
      `The file is not a HAR: ${issue?.path.join('.') || 'the file'} is missing or has another type. Record one with the developer tools of a browser ("Save all as HAR with content").`,
    );
  }
  return read.data.log.entries.map(({ request: { method, url, postData: sent }, response }, position) => ({
    number: position + 1,
    method: method.toUpperCase(),
    url: URL.canParse(url) ? new URL(url) : undefined,
    sent: typeof sent?.text === 'string' ? { type: mediaType(sent.mimeType), text: sent.text } : undefined,
    status: response.status,
    received: {
      type: mediaType(response.content?.mimeType),
      text: response.content ? decoded(response.content) : undefined,
    },
  }));
}

function mediaType(type: string | null | undefined): string {
  return (type ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

/** Decodes base64 and gzip. Undefined if the body was not recorded or is too large. */
function decoded({ text, encoding }: z.output<typeof content>): string | undefined {
  if (typeof text !== 'string') return undefined;
  if (encoding !== 'base64') return text;
  const bytes = Buffer.from(text, 'base64');
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes.toString('utf8');
  try {
    return gunzipSync(bytes, { maxOutputLength: MOST_BODY }).toString('utf8');
  } catch {
    return undefined;
  }
}
