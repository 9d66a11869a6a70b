import type { EventType } from '../webhooks/event-schemas.ts';
import { MEND, type Posting, type ReceiverKit } from './receiver-kit.ts';

/** Past the 5 minutes that a signature is good. */
const OLD_SECONDS = 600;

/** While a secret is exchanged, a delivery is signed with the old one and with the new one. */
function ofTwo(fitting: 'first' | 'second'): ReceiverCheck {
  return {
    name: `${fitting}_of_two_signatures`,
    title: `accepts two v1 of which the ${fitting} fits`,
    expects: 'accept',
    sends(kit) {
      const body = plain(kit);
      const t = kit.now;
      const [fits, other] = [`v1=${kit.proof(body, t)}`, `v1=${'0'.repeat(64)}`];
      const both = fitting === 'first' ? [fits, other] : [other, fits];
      return [kit.posting(body, `t=${t},${both.join(',')}`)];
    },
    mend: MEND.versions,
  };
}

export const FORGERIES: ReceiverCheck[] = [
  {
    name: 'bad_signature',
    title: 'refuses a signature made with another secret',
    expects: 'refuse',
    sends: (kit) => [kit.signedAs(plain(kit), { secret: 'whsec_of_somebody_else' })],
    mend: MEND.signature,
  },
  {
    name: 'altered_byte',
    title: 'refuses a body of which one byte was altered',
    expects: 'refuse',
    sends(kit) {
      const posting = kit.genuine(kit.envelope(PLAIN));
      const body = posting.body.toString().replace('job_sample', 'job_samplE');
      return [{ ...posting, body: Buffer.from(body) }];
    },
    mend: MEND.signature,
  },
  {
    name: 'old_timestamp',
    title: 'refuses a signature that is 10 minutes old',
    expects: 'refuse',
    sends: (kit) => [kit.signedAs(plain(kit), { t: kit.now - OLD_SECONDS })],
    mend: MEND.time,
  },
  {
    name: 'moved_timestamp',
    title: 'refuses an old signature under a new time',
    expects: 'refuse',
    sends(kit) {
      const body = plain(kit);
      const old = kit.proof(body, kit.now - OLD_SECONDS);
      return [kit.posting(body, `t=${kit.now},v1=${old}`)];
    },
    mend: MEND.signature,
  },
  {
    name: 'missing_header',
    title: 'refuses a delivery without svc-signature',
    expects: 'refuse',
    sends: (kit) => [kit.posting(plain(kit), undefined)],
    mend: MEND.header,
  },
  {
    name: 'short_signature',
    title: 'refuses a v1 of the wrong length',
    expects: 'refuse',
    sends: (kit) => [kit.posting(plain(kit), `t=${kit.now},v1=abc`)],
    mend: MEND.header,
  },
];

export const HEADERS: ReceiverCheck[] = [
  ofTwo('first'),
  ofTwo('second'),
  {
    name: 'future_version',
    title: 'accepts a v1 beside a version that does not exist yet',
    expects: 'accept',
    sends(kit) {
      const body = plain(kit);
      const t = kit.now;
      return [kit.posting(body, `t=${t},v2=${'f'.repeat(128)},v1=${kit.proof(body, t)}`)];
    },
    mend: MEND.versions,
  },
  {
    name: 'other_spelling',
    title: 'accepts JSON that is spelled in another way',
    expects: 'accept',
    sends: (kit) => [kit.genuine(respelled(plain(kit)))],
    mend: MEND.rawBody,
  },
];

function plain(kit: ReceiverKit): string {
  return JSON.stringify(kit.envelope(PLAIN));
}

/** The same JSON with white space, an escaped letter and an escaped slash: another text than any library would write. */
function respelled(body: string): string {
  return body
    .replace('{"id":', '{ "id" : ')
    .replace('job_sample', 'job_s\\u0061mple')
    .replace('image/png', 'image\\/png');
}

/** One thing that happens in production. All that it sends is sent in order, and the last answer is judged. */
export interface ReceiverCheck {
  name: string;
  title: string;
  /** Whether a correct receiver answers 2xx, or refuses with 4xx. */
  expects: 'accept' | 'refuse';
  sends(kit: ReceiverKit): Posting[];
  /** What to change in a receiver that fails. */
  mend: string;
  /** What cannot be seen from outside. */
  note?: string;
}
export const PLAIN: EventType = 'image.generation.succeeded';
