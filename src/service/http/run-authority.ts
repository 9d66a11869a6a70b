import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { rootCertificates } from 'node:tls';
import { altName, certificate, extension, newPair, oid, seq, tag } from './certificate.ts';

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
