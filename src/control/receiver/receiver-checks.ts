import { DELIVERY_FAULT_ROWS } from '../../engine/faults/delivery-faults.ts';
import { EVENT_TYPES, type EventType } from '../../engine/webhooks/event-schemas.ts';
import { FORGERIES, HEADERS, ofFault, PLAIN, type ReceiverCheck } from './forgery-checks.ts';
import { contentOf, MEND, type ReceiverKit, type ShownEnvelope } from './receiver-kit.ts';

/** The largest body there is: a run's inputs, of 1 MiB at most, and as much again for what its steps made. */
const LARGEST_BODY = 2 * 1_048_576;
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

const TRAFFIC: ReceiverCheck[] = [
  ofFault('duplicate', {
    title: 'accepts the same delivery a second time',
    note: `${BY_ANSWER} It should have done its work once.`,
  }),
  {
    name: 'out_of_order',
    title: 'accepts an earlier event after a later one',
    expects: 'accept',
    sends(kit) {
      const later = kit.envelope('flow.run.succeeded');
      const earlier = kit.envelope('flow.run.waiting');
      return [kit.genuine(later), kit.genuine({ ...earlier, created: earlier.created - 60 })];
    },
    mend: DELIVERY_FAULT_ROWS.reorder.advice,
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
  ofFault('unknown_type', {
    title: 'accepts an event type that does not exist yet',
    note: `${BY_ANSWER} It should have ignored it.`,
  }),
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

function largest(kit: ReceiverKit): ShownEnvelope {
  const envelope = kit.envelope('flow.run.succeeded');
  const { data } = envelope;
  // What a run was given is free in form, and all that can grow.
  const withNotes = (notes: string) => ({
    ...envelope,
    data: { ...data, run: { ...Object(data.run), inputs: { notes } } },
  });
  const room = LARGEST_BODY - Buffer.byteLength(contentOf(withNotes('')).body);
  return withNotes('x'.repeat(room));
}
