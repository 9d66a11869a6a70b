import { createHmac, timingSafeEqual } from 'node:crypto';
import { unixSeconds } from '../../base/clock/clock.ts';
import { readSecret, readSetting, writeSecret, writeSetting } from '../../base/database/id-store.ts';
import type { Reader } from '../../base/database/reader.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import { EmulatorError } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';

/** 7 days of the emulator's clock [R245]. */
const SIGNED_SECONDS = 7 * 24 * 60 * 60;

const NAME = 'cdn-secret';

const HEX = /^[0-9a-f]{64}$/;

export function storeNewUrlSigningSecret(tx: Transaction, random: Random): void {
  writeSecret(tx, NAME, random.secret('', 'cdn', 0).toString('hex'));
}

/**
 * The URL is valid for 7 days from `now`, in milliseconds of the emulator's clock [R232 R245], or longer if a fault
 * rule made an equal URL expire.
 */
export function createUrlSigner(db: Reader, now: number): (path: string) => string {
  const secret = urlSecret(db);
  const week = unixSeconds(now) + SIGNED_SECONDS;
  return (path) => signed(secret, path, Math.max(week, voidedUntil(db, path) + 1));
}

export function renewExpiredUrl(db: Reader, url: string, now: number): string {
  const { origin, pathname, searchParams } = new URL(url);
  const expires = searchParams.get('expires');
  if (expires === null || isValid(db, pathname, Number(expires), now)) return url;
  return origin + createUrlSigner(db, now)(pathname);
}

function signed(secret: string, path: string, expires: number): string {
  const proof = signature(secret, path, String(expires)).toString('hex');
  return `${path}?expires=${expires}&signature=${proof}`;
}

/** `now` is in milliseconds. Throws `invalid_signature` or `url_expired` [I043 I166]. */
export function verifyUrlSignature(db: Reader, path: string, query: string, now: number): void {
  const given = new URLSearchParams(query);
  const expires = given.get('expires') ?? '';
  const claimed = given.get('signature') ?? '';
  const genuine = signature(urlSecret(db), path, expires);
  if (!HEX.test(claimed) || !timingSafeEqual(Buffer.from(claimed, 'hex'), genuine)) throw altered();
  if (!isValid(db, path, Number(expires), now)) throw expired(Number(expires));
}

function isValid(db: Reader, path: string, expires: number, now: number): boolean {
  return unixSeconds(now) < expires && expires > voidedUntil(db, path);
}

/** Makes a URL expire now, with all URLs of its path that would expire at the same time or earlier. */
export function markUrlExpired(tx: Transaction, path: string, query: string): void {
  const expires = Number(new URLSearchParams(query).get('expires'));
  if (expires > voidedUntil(tx, path)) writeSetting(tx, voidName(path), expires);
}

export function expiredUrlError(query: string): EmulatorError {
  return expired(Number(new URLSearchParams(query).get('expires')));
}

/** A unix time in seconds, or 0. URLs of the path that would expire then or earlier were made to expire early. */
function voidedUntil(db: Reader, path: string): number {
  return readSetting<number>(db, voidName(path)) ?? 0;
}

function voidName(path: string): string {
  return `voided ${path}`;
}

function urlSecret(db: Reader): string {
  const secret = readSecret(db, NAME);
  if (secret) return secret;
  throw new Error('The secret behind signed URLs is missing: the database was not seeded.');
}

function signature(secret: string, path: string, expires: string): Buffer {
  return createHmac('sha256', secret).update(`${path}\n${expires}`).digest();
}

function altered(): EmulatorError {
  return new EmulatorError(
    'invalid_signature',
    'The signature of this URL is not valid: the URL was altered or comes from another emulator. Use it exactly as the API returned it.',
  );
}

function expired(expires: number): EmulatorError {
  return new EmulatorError(
    'url_expired',
    `This signed URL was valid for 7 days, until unix time ${expires} of the emulator's clock. Poll its job for a new URL, use "store": true for a permanent one, or set the clock back with PUT /_emulator/clock.`,
  );
}

/** The parts of a CDN path. URLs of objects are permanent, and all others are signed and expire. */
export interface CdnPath {
  area: CdnArea;
  id: string;
  name: string;
}

const AREAS = ['library', 'objects', 'thumbnails', 'elements'] as const;

type CdnArea = (typeof AREAS)[number];

const PATTERN = /^\/cdn\/(\w+)\/((?:lib|obj|el)_[0-9a-f]{1,64})\/([A-Za-z0-9._-]{1,100})$/;

export function objectPath({ id, name }: { id: string; name: string }): string {
  return `/cdn/objects/${id}/${name}`;
}

export function thumbnailPath(entryId: string): string {
  return `/cdn/thumbnails/${entryId}/${entryId}.webp`;
}

export function elementPath({ id, name }: { id: string; name: string }): string {
  return `/cdn/elements/${id}/${name}`;
}

export function parseCdnPath(path: string): CdnPath | undefined {
  const [, word, id, name] = PATTERN.exec(path) ?? [];
  const area = AREAS.find((each) => each === word);
  return area && id && name ? { area, id, name } : undefined;
}
