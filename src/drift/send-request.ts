import type { Clock } from '../clock/clock.ts';
import { isLoopbackHost } from '../webhooks/url-guard.ts';
import { exchange, multipart, NotMeasured, type OpenAnswer, type SentRequest } from './http-exchange.ts';
import { NAME, type PlannedRequest } from './planned-case.ts';
import { mediaType, parsed, type ReceivedAnswer } from './shape-of.ts';

/** Whom the plan is sent to. */
export interface Target {
  /** Without a path, or with the one before `/v1`. */
  url: string;
  key: string;
  /** Milliseconds between two requests. */
  paceMs: number;
  /** How long an answer may take, in milliseconds. */
  timeoutMs: number;
  clock: Pick<Clock, 'after' | 'real'>;
  signal: AbortSignal;
}

/** What is put into a request: `id`, `url` and `status` of the case that it needs, and the `engine` of the cheapest clip. */
export type Given = Readonly<Record<string, string>>;

/** How long the answer to a request may still take when the measurement was ended. */
const GRACE_MS = 5000;
const WRONG_KEY = 'svc_sk_00000000000000000000000000000000';

/** Sends one request after another, each a pace after the one before. */
export class Sender {
  readonly #target: Target;
  #last: number | undefined;
  sent = 0;

  constructor(target: Target) {
    this.#target = target;
  }

  /** The answer, whatever its status. Throws `NotMeasured` for none, a redirect and a page. */
  async send(request: PlannedRequest, given: Given): Promise<ReceivedAnswer> {
    const url = this.#address(request.path, given);
    await this.#pace();
    this.sent += 1;
    const answer = await this.#answer(url, { method: request.method, ...this.#body(request, given) });
    const { status, headers } = answer;
    if (status >= 300 && status < 400) {
      answer.drop();
      throw new NotMeasured(`redirect ${status}`);
    }
    const bytes = await answer.bytes();
    const type = mediaType(headers['content-type']);
    if (type === 'text/html') throw new NotMeasured('a page of HTML');
    const json = type === 'application/json' ? parsed(bytes.toString()) : undefined;
    return { status, headers, bytes, json };
  }

  #address(path: string, given: Given): string {
    const filled = filledText(path, given);
    const url = /^https?:/.test(filled) ? filled : `${this.#target.url}${filled}`;
    // An address in an answer is held to what the one of the service is.
    const isOwn = isLoopback(this.#target.url);
    if (!isAllowed(url) || (isLoopback(url) && !isOwn)) throw new NotMeasured('an address that is not https');
    return url;
  }

  #body({ json, form, key }: PlannedRequest, given: Given): Omit<SentRequest, 'method'> {
    const bearer = key === 'wrong' ? WRONG_KEY : this.#target.key;
    const headers: Record<string, string> = key === 'none' ? {} : { authorization: `Bearer ${bearer}` };
    if (form) {
      const filled = Object.entries(form).map(([name, value]) => {
        return [name, typeof value === 'string' ? filledText(value, given) : value];
      });
      const { headers: typed, body } = multipart(Object.fromEntries(filled), `${given.name}.wav`);
      return { headers: { ...headers, ...typed }, body };
    }
    if (!json) return { headers };
    const body = Buffer.from(filledText(JSON.stringify(json), given));
    return { headers: { ...headers, 'content-type': 'application/json' }, body };
  }

  /** What was sent when the measurement was ended may still come: what it made is to be known. */
  async #answer(url: string, request: SentRequest): Promise<OpenAnswer> {
    const { timeoutMs, signal, clock } = this.#target;
    const late = new AbortController();
    const hear = () => clock.after(GRACE_MS, () => late.abort());
    signal.addEventListener('abort', hear, { once: true });
    const limit = AbortSignal.any([late.signal, AbortSignal.timeout(timeoutMs)]);
    try {
      return await exchange(url, request, limit);
    } catch {
      throw new NotMeasured('no answer', false);
    } finally {
      signal.removeEventListener('abort', hear);
    }
  }

  /** Waits until a pace has passed since the last request was due. */
  async #pace(): Promise<void> {
    const { clock, paceMs, signal } = this.#target;
    const due = (this.#last ?? -Infinity) + paceMs;
    const left = due - clock.real();
    if (left > 0) await waited(clock, left, signal);
    signal.throwIfAborted();
    // A timer that is a little late does not make the next request later.
    this.#last = clock.real() - due < paceMs / 10 ? due : clock.real();
  }
}

/** Resolves after so many milliseconds, or when the signal aborts. */
export async function waited(clock: Pick<Clock, 'after'>, milliseconds: number, signal: AbortSignal): Promise<void> {
  let end = () => {};
  await new Promise<void>((resolve) => {
    const cancel = clock.after(milliseconds, resolve);
    end = () => [cancel(), resolve()];
    signal.addEventListener('abort', end, { once: true });
  });
  signal.removeEventListener('abort', end);
}

/** A text with what is given in place of `{name}`, and drift's own name. */
function filledText(text: string, given: Given): string {
  const named = text.replaceAll(NAME, given.name ?? NAME);
  return named.replaceAll(/\{([a-z]+)\}/g, (whole, name: string) => given[name] ?? whole);
}

/** Whether drift may send to an address: https, or this machine. */
export function isAllowed(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const url = new URL(address);
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(address));
}

/** Whether a URL leads to this machine. */
export function isLoopback(address: string): boolean {
  return isLoopbackHost(new URL(address).hostname.replace(/^\[(.*)\]$/, '$1'));
}
