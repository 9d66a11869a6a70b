import fc from 'fast-check';
import Stripe from 'stripe';
import { expect, it } from 'vitest';
import { signatureHeader, signPayload, verifySignature } from '../../../src/engine/webhooks/signature.ts';

const secret = 'whsec_test';
const t = 1_900_000_000;
const now = t * 1000;
const payload = '{"id":"evt_1","note":"Grüße ☂"}';
const header = signatureHeader(secret, t, payload);

it('signs time, dot and raw body with HMAC-SHA256, in hex [R214 R215]', () => {
  // From: printf '1900000000.{}' | openssl dgst -sha256 -hmac whsec_test
  expect(signPayload(secret, t, '{}')).toBe('49ce984c15d76b50a9f61c0e6f8f366b09efb50a922116b0528fa10d87ead880');
  expect(signatureHeader(secret, t, '{}')).toBe(`t=${t},v1=${signPayload(secret, t, '{}')}`);
});

it('signs any body so that the stripe package accepts it [R210 R215]', () => {
  const { signature } = new Stripe('sk_test').webhooks;
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), fc.string(), (body, key) => {
      const own = `whsec_${key}x`;
      const signed = signatureHeader(own, t, body);
      expect(signature?.verifyHeader(body, signed, own, 300, undefined, now)).toBe(true);
      verifySignature({ payload: body, header: signed, secret: own, now });
    }),
  );
});

it('accepts signatures of the stripe package', () => {
  const { webhooks } = new Stripe('sk_test');
  const signed = webhooks.generateTestHeaderString({ payload, secret, timestamp: t });
  expect(() => verifySignature({ payload, header: signed, secret, now })).not.toThrow();
});

it.each([
  ['a payload given as bytes', Buffer.from(payload), header],
  ['a header given as a list', payload, [header]],
  ['several v1 values of which one fits', payload, `t=${t},v1=${'0'.repeat(64)},${header.slice(13)}`],
  ['spaces after commas and unknown schemes', payload, header.replace(',', ', v0=abc, ')],
])('verifies a signature with %s', (_, given, line) => {
  expect(() => verifySignature({ payload: given, header: line, secret, now })).not.toThrow();
});

it.each([
  ['a changed body', { payload: `${payload} ` }, /raw body/],
  ['another secret', { secret: 'whsec_other' }, /secret/],
  ['another time', { header: header.replace(String(t), String(t + 1)) }, /No v1/],
  ['a shortened signature', { header: header.slice(0, -1) }, /No v1/],
  ['a delivery without the header', { header: undefined }, /header is missing/],
  ['an empty header', { header: '' }, /header is missing/],
  ['a header without t', { header: header.slice(13) }, /must be t=<unix>,v1=<hex>/],
  ['a header without v1', { header: `t=${t}` }, /must be t=<unix>,v1=<hex>/],
  ['a t that is not a number', { header: header.replace(String(t), 'soon') }, /must be t=/],
  ['a time 301 s ago', { now: now + 301_000 }, /301 s old; at most 300/],
  ['a time beyond a given tolerance', { now: now + 11_000, toleranceSeconds: 10 }, /11 s old/],
  [
    'a t that is too old by the clock of the machine',
    { header: signatureHeader(secret, 1, payload), now: undefined },
    /s old/,
  ],
])('rejects, when it verifies a signature, %s, and says why', (_, change, reason) => {
  const signed = { payload, header, secret, now, ...change };
  expect(() => verifySignature(signed)).toThrow(
    expect.objectContaining({ code: 'invalid_signature', message: expect.stringMatching(reason) }),
  );
});

it('accepts a signature whose age is exactly the tolerance', () => {
  expect(() => verifySignature({ payload, header, secret, now: now + 300_000 })).not.toThrow();
});
