import { invalid } from '../../base/errors.ts';

/** As much as a JSON body can carry. */
export const MOST_BYTES = 24 * 1024 * 1024;
const HEADER = {
  picture: /^data:image\/[a-z0-9.+-]{1,40}(?:;[a-z0-9=.+-]{1,80}){0,4};base64$/i,
  voice: /^data:audio\/[a-z0-9.+-]{1,40}(?:;[a-z0-9=.+-]{1,80}){0,4};base64$/i,
  media: /^data:(?:image|video|audio)\/[a-z0-9.+-]{1,40}(?:;[a-z0-9=.+-]{1,80}){0,4};base64$/i,
};
const EXAMPLE = {
  picture: 'data:image/png;base64,…',
  voice: 'data:audio/mpeg;base64,…',
  media: 'data:video/mp4;base64,…',
};
const CALLED = { picture: 'a picture', voice: 'a sound file', media: 'a picture, clip or sound' };
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** What is given by URL: a picture, the sample of a voice, or the file of a scripted answer. */
export type GivenKind = keyof typeof HEADER;

/** The bytes of `data:image/…;base64,…` `data:audio/…` or `data:video/…`. Throws `invalid_request` that names `param` for anything else. */
export function decodeDataUrl(url: string, kind: GivenKind, param: string): Buffer {
  const comma = url.indexOf(',');
  const header = url.slice(0, Math.max(0, Math.min(comma, 400)));
  if (!HEADER[kind].test(header)) {
    throw invalid(
      param,
      `"${param}" must be a data URL of ${CALLED[kind]} in base64, as in ${EXAMPLE[kind]}; it begins with ${JSON.stringify(url.slice(0, 40))}.`,
    );
  }
  const encoded = url.slice(comma + 1);
  if (encoded.length === 0 || encoded.length % 4 !== 0 || !BASE64.test(encoded)) {
    throw invalid(
      param,
      `"${param}" has broken base64 after the comma (${encoded.length} characters). Encode the bytes anew, with padding and without line breaks.`,
    );
  }
  if (encoded.length * 0.75 > MOST_BYTES) {
    throw invalid(param, `"${param}" holds a file over ${MOST_BYTES / 1024 / 1024} MiB. Send a smaller one.`);
  }
  return Buffer.from(encoded, 'base64');
}
