import { createHash, type KeyPairKeyObjectResult, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { expect, it } from 'vitest';
import { certificate, newPair } from '../../../src/service/http/run-authority.ts';

/** A pair whose public key has a digest of this beginning: the serial number is taken from it. */
function pairWith(isWanted: (first: number, second: number) => boolean): KeyPairKeyObjectResult {
  for (;;) {
    const pair = newPair();
    const spki = pair.publicKey.export({ type: 'spki', format: 'der' });
    const [first = 0, second = 0] = createHash('sha256').update(spki).digest();
    if (isWanted(first, second)) return pair;
  }
}

it.each([
  ['a zero byte and a small one', (first: number, second: number) => first === 0 && second < 128],
  ['a zero byte and a large one', (first: number, second: number) => first === 0 && second > 127],
  ['a high bit', (first: number) => first > 127],
])('is read by TLS when the digest of its key begins with %s', (_beginning, isWanted) => {
  const { publicKey, privateKey } = pairWith(isWanted);
  const party = { name: 'localhost', key: publicKey };
  const valid = [Date.UTC(2026, 0, 1), Date.UTC(2027, 0, 1)] as const;
  const pem = certificate({ subject: party, issuer: party, signer: privateKey, valid, purpose: [] });
  createSecureContext({ cert: pem, key: privateKey.export({ type: 'pkcs8', format: 'pem' }) });
  const read = new X509Certificate(pem);
  expect(read.verify(publicKey)).toBe(true);
  expect(read.serialNumber).toMatch(/^01[0-9A-F]{32}$/);
});
