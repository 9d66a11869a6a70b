import { createHmac, timingSafeEqual } from 'node:crypto';
import { unixSeconds } from '../../base/clock/clock.ts';
import { VirtualClock } from '../../base/clock/virtual-clock.ts';
import { EmulatorError, quoted } from '../../base/errors.ts';

export const SIGNATURE_HEADER = 'svc-signature';

/** HMAC-SHA256 in hex over `<t>.<raw body>`, `t` in unix seconds. */
export function signPayload(secret: string, t: number, body: string | Uint8Array): string {
  return createHmac('sha256', secret).update(`${t}.`).update(body).digest('hex');
}

export function signatureHeader(secret: string, t: number, body: string | Uint8Array): string {
  return `t=${t},v1=${signPayload(secret, t, body)}`;
}

const TOLERANCE_SECONDS = 300;

export interface VerifySignatureOptions {
  /** The raw body as received, before any JSON parser. */
  payload: string | Uint8Array;
  /** The value of the `svc-signature` header. */
  header: string | string[] | null | undefined;
  /** The endpoint's `whsec_…`, from the response that created it. */
  secret: string;
  /** How old `t` may be, in seconds; 300 by default. */
  toleranceSeconds?: number;
  /** The receiver's time in milliseconds; the machine's by default. */
  now?: number;
}

/**
 * For receivers: throws `invalid_signature` with the reason unless the emulator signed the payload recently. One of
 * several `v1` has to match.
 */
export function verifySignature(signed: VerifySignatureOptions): void {
  const { t, candidates } = parseHeader(signed.header);
  const expected = Buffer.from(signPayload(signed.secret, t, signed.payload));
  if (!candidates.some((candidate) => equal(Buffer.from(candidate), expected))) throw mismatch();
  const tolerance = signed.toleranceSeconds ?? TOLERANCE_SECONDS;
  const age = unixSeconds(signed.now ?? new VirtualClock().real()) - t;
  if (age > tolerance) throw stale(age, tolerance);
}

function parseHeader(header: VerifySignatureOptions['header']): { t: number; candidates: string[] } {
  const text = Array.isArray(header) ? header.join(',') : header;
  if (!text) {
    throw refusal(`The ${SIGNATURE_HEADER} header is missing. Pass its value from the delivery.`);
  }
  const parts = text.split(',').map((part) => part.trim().split('='));
  const valuesOf = (name: string) => parts.flatMap(([key, value]) => (key === name && value ? [value] : []));
  const [t] = valuesOf('t');
  const candidates = valuesOf('v1');
  if (!t || !/^\d{1,12}$/.test(t) || candidates.length === 0) {
    throw refusal(`The ${SIGNATURE_HEADER} header must be t=<unix>,v1=<hex>, not ${quoted(text)}.`);
  }
  return { t: Number(t), candidates };
}

function equal(candidate: Buffer, expected: Buffer): boolean {
  return candidate.length === expected.length && timingSafeEqual(candidate, expected);
}

function mismatch(): EmulatorError {
  return refusal(
    'No v1 of the header matches the payload and the secret. Pass the raw body as it was received, not JSON that was parsed and written again. Use the secret of this endpoint.',
  );
}

function stale(age: number, tolerance: number): EmulatorError {
  return refusal(
    `The signature is ${age} s old; at most ${tolerance} s are accepted. Check the receiver's clock, or raise toleranceSeconds.`,
  );
}

function refusal(message: string): EmulatorError {
  return new EmulatorError('invalid_signature', message);
}
