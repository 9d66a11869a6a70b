import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { isIP, isIPv4 } from 'node:net';

interface Party {
  name: string;
  key: KeyObject;
}

interface Order {
  subject: Party;
  issuer: Party;
  signer: KeyObject;
  /** From and to, in milliseconds since 1970. */
  valid: readonly [number, number];
  /** Extensions that say what it is for. */
  purpose: readonly Buffer[];
}

/** One X.509 certificate of version 3 (RFC 5280), as PEM. */
export function certificate({ subject, issuer, signer, valid, purpose }: Order): string {
  const spki = subject.key.export({ type: 'spki', format: 'der' });
  const keyId = extension('551d0e', tag(0x04, keyIdOf(subject.key)));
  const issuerId = extension('551d23', seq(tag(0x80, keyIdOf(issuer.key))));
  const body = seq(
    tag(0xa0, tag(0x02, Buffer.from([2]))),
    serialOf(spki),
    ECDSA_SHA256,
    nameOf(issuer),
    seq(...valid.map(time)),
    nameOf(subject),
    spki,
    tag(0xa3, seq(...purpose, keyId, issuerId)),
  );
  const signature = sign('sha256', body, signer);
  const der = seq(body, ECDSA_SHA256, tag(0x03, Buffer.from([0]), signature));
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

function keyIdOf(key: KeyObject): Buffer {
  return createHash('sha1')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest();
}

/** One value in DER: its tag, its length, and what it is made of. */
export function tag(type: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([type, ...head]), content]);
}

export function seq(...parts: readonly Buffer[]): Buffer {
  return tag(0x30, ...parts);
}

export function oid(hex: string): Buffer {
  return tag(0x06, Buffer.from(hex, 'hex'));
}

/** Led by a one: DER refuses an integer that begins with a zero byte which it does not need, and a high bit is a minus. */
function serialOf(spki: Buffer): Buffer {
  return tag(0x02, Buffer.from([1]), createHash('sha256').update(spki).digest().subarray(0, 16));
}

/** A name of one part, its common name. */
function nameOf({ name }: Party): Buffer {
  return seq(tag(0x31, seq(oid('550403'), tag(0x0c, Buffer.from(name)))));
}

/** As UTCTime, which ends in 2049. */
function time(at: number): Buffer {
  const digits = new Date(at).toISOString().replace(/\D/g, '');
  return tag(0x17, Buffer.from(`${digits.slice(2, 14)}Z`));
}

export function extension(id: string, value: Buffer, isCritical = false): Buffer {
  return seq(oid(id), ...(isCritical ? [tag(0x01, Buffer.from([255]))] : []), tag(0x04, value));
}

export function altName(host: string): Buffer {
  return isIP(host) ? tag(0x87, addressBytes(host)) : tag(0x82, Buffer.from(host));
}

function addressBytes(host: string): Buffer {
  if (isIPv4(host)) return Buffer.from(host.split('.').map(Number));
  const [head = '', tail = ''] = new URL(`http://[${host}]`).hostname.slice(1, -1).split('::');
  const groups = (part: string) => part.split(':').filter(Boolean);
  const missing = 8 - groups(head).length - groups(tail).length;
  const all = [...groups(head), ...Array<string>(Math.max(0, missing)).fill('0'), ...groups(tail)];
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex');
}

const ECDSA_SHA256 = seq(oid('2a8648ce3d040302'));

export function newPair() {
  return generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
}
