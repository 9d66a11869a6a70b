import { EVENT_TYPES, type EventType } from '../webhooks/event-schemas.ts';
import type { Posting, ReceiverKit } from './receiver-kit.ts';
import { MEND } from './receiver-mending.ts';

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

/** The largest body there is: a run's inputs, of 1 MiB at most, and as much again for what its steps made. */
export const LARGEST_BODY = 2 * 1_048_576;

/** Past the 5 minutes that a signature is good. */
const OLD_SECONDS = 600;
const PLAIN: EventType = 'image.generation.succeeded';
const BY_ANSWER = 'Judged by the answer alone: what the receiver did with it is not seen from outside.';

/** Everything a receiver is tried with, in order; `types` are those that it is to be ready for. */
export function receiverChecks(types: readonly EventType[] = EVENT_TYPES): ReceiverCheck[] {
  return [GENUINE, ...types.map(ofType), ...FORGERIES, ...HEADERS, ...TRAFFIC, ...FUTURE];
}

/** What everything else is measured by: a receiver that refuses this is not ready to be tried. */
export const GENUINE: ReceiverCheck = {
  name: 'genuine',
  title: 'accepts a genuine delivery',
  expects: 'accept',
  sends: (kit) => [kit.genuine(kit.envelope(PLAIN))],
  mend: MEND.genuine,
};

function ofType(type: EventType): ReceiverCheck {
  return {
    name: `event:${type}`,
    title: `accepts ${type}`,
    expects: 'accept',
    sends: (kit) => [kit.genuine(kit.envelope(type))],
    mend: MEND.type,
  };
}

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

const FORGERIES: ReceiverCheck[] = [
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

const HEADERS: ReceiverCheck[] = [
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

const TRAFFIC: ReceiverCheck[] = [
  {
    name: 'duplicate',
    title: 'accepts the same delivery a second time',
    expects: 'accept',
    sends(kit) {
      const envelope = kit.envelope(PLAIN);
      return [kit.genuine(envelope), kit.genuine(envelope)];
    },
    mend: MEND.duplicate,
    note: `${BY_ANSWER} It should have done its work once.`,
  },
  {
    name: 'out_of_order',
    title: 'accepts an earlier event after a later one',
    expects: 'accept',
    sends(kit) {
      const later = kit.envelope('flow.run.succeeded');
      const earlier = kit.envelope('flow.run.waiting');
      return [kit.genuine(later), kit.genuine({ ...earlier, created: earlier.created - 60 })];
    },
    mend: MEND.order,
    note: `${BY_ANSWER} It should not have gone back to the earlier state.`,
  },
  {
    name: 'slow_body',
    title: 'accepts a body that comes slowly, in pieces',
    expects: 'accept',
    sends: (kit) => [{ ...kit.genuine(kit.envelope(PLAIN)), pieces: 4 }],
    mend: MEND.slowness,
  },
  {
    name: 'slow_reader',
    title: 'answers somebody who reads slowly',
    expects: 'accept',
    sends: (kit) => [{ ...kit.genuine(kit.envelope(PLAIN)), readsLate: true }],
    mend: MEND.slowness,
  },
  {
    name: 'large_body',
    title: 'accepts a body of 2 MiB, the largest there is',
    expects: 'accept',
    sends: (kit) => [kit.genuine(largest(kit))],
    mend: MEND.size,
  },
];

const FUTURE: ReceiverCheck[] = [
  {
    name: 'unknown_type',
    title: 'accepts an event type that does not exist yet',
    expects: 'accept',
    sends: (kit) => [kit.genuine({ ...kit.envelope(PLAIN), type: 'model.training.succeeded' })],
    mend: MEND.unknownType,
    note: `${BY_ANSWER} It should have ignored it.`,
  },
  {
    name: 'unknown_fields',
    title: 'accepts fields that do not exist yet',
    expects: 'accept',
    sends(kit) {
      const envelope = kit.envelope(PLAIN);
      const data = { ...envelope.data, mood: 'calm', sizes: [{ width: 1024 }] };
      return [kit.genuine(Object.assign(envelope, { data, api_version: '2.0.0', livemode: true }))];
    },
    mend: MEND.unknownFields,
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

function largest(kit: ReceiverKit): string {
  const envelope = kit.envelope('flow.run.succeeded');
  const { data } = envelope;
  // What a run was given is free in form, and all that can grow.
  const withNotes = (notes: string) =>
    JSON.stringify({
      ...envelope,
      data: { ...data, run: { ...Object(data.run), inputs: { notes } } },
    });
  const room = LARGEST_BODY - Buffer.byteLength(withNotes(''));
  return withNotes('x'.repeat(room));
}
