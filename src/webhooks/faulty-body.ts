import { deliveryFaultRow } from '../faults/delivery-faults.ts';
import { idBeside } from '../ids.ts';
import type { DeliveryFault } from './delivery-fault.ts';

/** A type that no receiver has heard of: there may be new ones any day. */
const UNKNOWN_TYPE = 'account.notice.created';

type Json = Record<string, unknown>;

/** What a delivery carries: its text, and the id of the event in it. */
export interface Letter {
  eventId: string;
  body: string;
}

/** The letter of a delivery, true or spoilt: the same in every run. */
export function faultyLetter(letter: Letter, fault: DeliveryFault | null, deliveryId: string): Letter {
  const body = fault === null || fault === 'before_delivery' ? undefined : deliveryFaultRow(fault).body;
  if (body === 'respelled') return { ...letter, body: respelled(JSON.parse(letter.body)) };
  if (body === 'forged') return { ...letter, body: forged(JSON.parse(letter.body)) };
  return body === 'unknown_type' ? unknown(letter, idBeside(deliveryId, 'event')) : letter;
}

/** The same id, and other data: whoever believes it books what never was. */
function forged(envelope: Json): string {
  const data = envelope.data as Json;
  const other = Object.fromEntries(Object.entries(data).map(([name, value]) => [name, falsified(name, value)]));
  return JSON.stringify({ ...envelope, data: other });
}

function falsified(name: string, value: unknown): unknown {
  if (name === 'result_url') return 'https://forged.invalid/result';
  if (name === 'seed' && typeof value === 'number') return value + 1;
  return name === 'error' ? { code: 'forged', message: 'This event is forged.' } : value;
}

function unknown({ body }: Letter, eventId: string): Letter {
  const { created } = JSON.parse(body) as Json;
  const data = { message: 'Something new has happened.' };
  return { eventId, body: JSON.stringify({ id: eventId, type: UNKNOWN_TYPE, created, data }) };
}

/** The same JSON in other bytes: keys from the last to the first, spaces, and escapes where none are needed. */
function respelled(value: unknown): string {
  if (typeof value === 'string') return escaped(value);
  if (Array.isArray(value)) return `[ ${value.map(respelled).join(', ')} ]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).toReversed();
  return `{ ${fields.map(([name, each]) => `${JSON.stringify(name)} : ${respelled(each)}`).join(', ')} }`;
}

function escaped(text: string): string {
  const plain = JSON.stringify(text).replaceAll('/', '\\/');
  return plain.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
