import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../base/clock/clock.ts';
import { EmulatorError } from '../../base/errors.ts';
import type { Caller } from '../../engine/accounts/account-store.ts';
import { PERMISSIONS, type Permission } from '../../engine/accounts/roles.ts';

export function requirePermission(caller: Caller, permission: Permission): void {
  if (PERMISSIONS[caller.role].includes(permission)) return;
  throw new EmulatorError(
    'permission_denied',
    `The role ${caller.role} lacks the permission ${permission}; use the key of an owner or an admin of the workspace.`,
  );
}

const MINUTE = 60_000;

/** Requests per key and calendar minute of the emulator's clock. */
export class RateLimit {
  readonly #clock: Clock;
  readonly #limit: number;
  readonly #used = new Map<string, number>();
  #minute = 0;

  constructor(clock: Clock, limit: number) {
    this.#clock = clock;
    this.#limit = limit;
  }

  /** Counts a request and writes the `ratelimit-*` headers. Throws `rate_limited`. */
  count(keyId: string, response: ServerResponse): void {
    this.#turn();
    const used = (this.#used.get(keyId) ?? 0) + 1;
    this.#used.set(keyId, used);
    this.show(keyId, response);
    if (used > this.#limit) throw limited(this.#limit, this.#reset());
  }

  /** Writes the headers without counting. Without a key, the whole limit is left. */
  show(keyId: string | undefined, response: ServerResponse): void {
    this.#turn();
    const used = keyId === undefined ? 0 : (this.#used.get(keyId) ?? 0);
    response.setHeader('ratelimit-limit', this.#limit);
    response.setHeader('ratelimit-remaining', Math.max(0, this.#limit - used));
    response.setHeader('ratelimit-reset', this.#reset());
  }

  wake(): void {
    this.#used.clear();
  }

  #turn(): void {
    const minute = Math.floor(this.#clock.now() / MINUTE);
    if (minute !== this.#minute) this.#used.clear();
    this.#minute = minute;
  }

  /** Seconds until the next minute. */
  #reset(): number {
    return Math.ceil(((this.#minute + 1) * MINUTE - this.#clock.now()) / 1000);
  }
}

function limited(limit: number, reset: number): EmulatorError {
  return new EmulatorError(
    'rate_limited',
    `This key has made its ${limit} requests of this minute (--rate-limit ${limit}); wait ${reset} s of the emulator's clock.`,
    { headers: { 'retry-after': String(reset) }, choice: 'C181' },
  );
}

const COOKIE_NAME = 'svc_emulator_control_';
const COOKIE = /(?:^|; )svc_emulator_control_\d*=([^;]*)/g;

/** The token is in a header, in the cookie of the dashboard, or in the URL (`given`). */
export function bringsToken({ headers }: IncomingMessage, token: string, given?: string): boolean {
  if (sameText(headers.authorization ?? '', `Bearer ${token}`)) return true;
  if (given !== undefined && sameText(given, token)) return true;
  if (headers.cookie === undefined) return false;
  const wanted = encodeURIComponent(token);
  return [...headers.cookie.matchAll(COOKIE)].some(([, value = '']) => sameText(value, wanted));
}

/** The name contains the port, because all ports of a host share its cookies. */
export function tokenCookie(token: string, baseUrl: string): string {
  const { protocol, port } = new URL(baseUrl);
  const secure = protocol === 'https:' ? '; Secure' : '';
  return `${COOKIE_NAME}${port}=${encodeURIComponent(token)}; Path=/; HttpOnly; SameSite=Strict${secure}`;
}

function sameText(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}
