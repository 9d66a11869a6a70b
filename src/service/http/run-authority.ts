import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { isIP, isIPv4 } from 'node:net';
import path from 'node:path';
import { rootCertificates } from 'node:tls';

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
function tag(type: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([type, ...head]), content]);
}

function seq(...parts: readonly Buffer[]): Buffer {
  return tag(0x30, ...parts);
}

function oid(hex: string): Buffer {
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

function extension(id: string, value: Buffer, isCritical = false): Buffer {
  return seq(oid(id), ...(isCritical ? [tag(0x01, Buffer.from([255]))] : []), tag(0x04, value));
}

function altName(host: string): Buffer {
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

/** What a server shows, and the authority by which clients trust it, all of them PEM. Only `authority` may be written to a file. */
export interface RunCertificate {
  key: string;
  cert: string;
  authority: string;
}

/** Beyond a year and a month some clients refuse a certificate. */
const DAYS = 397;
const DAY_MS = 86_400_000;

/**
 * A certificate for these host names and addresses, signed by an authority that is made for it and forgets its key: nothing
 * else can be signed by it. `now` is in milliseconds since 1970.
 */
export function makeRunCertificate(hosts: readonly string[], now: number): RunCertificate {
  const [root, leaf] = [newPair(), newPair()];
  const issuer = { name: 'svc-emulator, for this run only', key: root.publicKey };
  const valid = [now - DAY_MS, now + DAYS * DAY_MS] as const;
  const authority = certificate({ subject: issuer, issuer, signer: root.privateKey, valid, purpose: AUTHORITY });
  const subject = { name: hosts[0] ?? 'localhost', key: leaf.publicKey };
  const purpose = [...SERVER, extension('551d11', seq(...hosts.map(altName)))];
  return {
    key: leaf.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: certificate({ subject, issuer, signer: root.privateKey, valid, purpose }),
    authority,
  };
}

/** Files by which clients of this machine trust a run. They hold nothing secret. */
export class AuthorityFiles {
  /** With the certificate of the authority alone: for what adds it to those that it knows, as Node does. */
  readonly own: string;
  /** The same with the authorities that Node knows: for what knows no others then, as OpenSSL and Python's requests. */
  readonly all: string;

  constructor(folder: string, { authority }: Pick<RunCertificate, 'authority'>) {
    this.own = path.join(folder, 'authority.pem');
    this.all = path.join(folder, 'authorities.pem');
    writeFileSync(this.own, authority);
    writeFileSync(this.all, [authority.trimEnd(), ...rootCertificates, ''].join('\n'));
  }

  /** By the variables that Node, OpenSSL (Python, Ruby, PHP, curl) and Python's requests read. */
  get variables(): Record<string, string> {
    return { NODE_EXTRA_CA_CERTS: this.own, SSL_CERT_FILE: this.all, REQUESTS_CA_BUNDLE: this.all };
  }

  remove(): void {
    for (const file of [this.own, this.all]) rmSync(file, { force: true });
  }
}

/** A key usage: how many bits are unused, and the bits. */
const usage = (unused: number, bits: number) => extension('551d0f', tag(0x03, Buffer.from([unused, bits])), true);

/** Signs certificates, and none below it does. */
const AUTHORITY = [
  extension('551d13', seq(tag(0x01, Buffer.from([255])), tag(0x02, Buffer.from([0]))), true),
  usage(1, 0x06),
];

/** Shows who a server is. */
const SERVER = [extension('551d13', seq(), true), usage(7, 0x80), extension('551d25', seq(oid('2b06010505070301')))];

/** The certificate of this run, and the files by which clients trust it. */
export interface Secured {
  certificate: RunCertificate;
  files: AuthorityFiles;
}

/** Makes what `--https` serves with; `now` is the machine's time in milliseconds. */
export function secured(host: string, folder: string, now: number): Secured {
  const names = new Set([host, '127.0.0.1', '::1', 'localhost', 'host.docker.internal']);
  const certificate = makeRunCertificate([...names], now);
  return { certificate, files: new AuthorityFiles(folder, certificate) };
}
