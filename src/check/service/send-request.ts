import type { Clock } from '../../base/clock/clock.ts';
import { parsedJson } from '../../base/parsed-json.ts';
import { isLoopbackHost } from '../../engine/webhooks/url-guard.ts';
import { DEEPEST, isShallow } from '../../service/http/json-bounds.ts';
import { exchange, multipart, NotMeasured, type SentRequest, type WholeAnswer } from './http-exchange.ts';
import { NAME, type PlannedRequest } from './planned-case.ts';
import { mediaType, type ReceivedAnswer } from './shape-of.ts';

/** Whom the plan is sent to. */
export interface Target {
  /** Without a path, or with the one before `/v1`. */
  url: string;
  key: string;
  /** Milliseconds between two requests. */
  paceMs: number;
  /** How long a request may take to the end of its answer, in milliseconds. */
  timeoutMs: number;
  clock: Pick<Clock, 'after' | 'real'>;
  signal: AbortSignal;
}

/** What is put into a request: `id`, `url` and `status` of the case that it needs, and the `engine` of the cheapest clip. */
export type RequestValues = Readonly<Record<string, string>>;

const WRONG_KEY = 'svc_sk_00000000000000000000000000000000';

/** Sends one request after another, each a pace after the one before. */
export class Sender {
  readonly #target: Target;
  #last: number | undefined;
  sent = 0;

  constructor(target: Target) {
    this.#target = target;
  }

  /** The answer, whatever its status. Throws `NotMeasured` for none, and for one that cannot be compared. */
  async send(request: PlannedRequest, values: RequestValues): Promise<ReceivedAnswer> {
    const url = this.#address(request.path, values);
    await this.#pace();
    this.sent += 1;
    const answer = await this.#answer(url, { method: request.method, ...this.#body(request, values) });
    const type = mediaType(answer.headers['content-type']);
    if (type === 'text/html') throw new NotMeasured('a page of HTML');
    const json = type === 'application/json' ? parsedJson(answer.bytes.toString()) : undefined;
    if (!isShallow(json)) throw new NotMeasured(TOO_DEEP);
    return { ...answer, json };
  }

  /** What an answer has named is asked for at the service alone, and where it has the documented form. */
  #address(path: string, values: RequestValues): string {
    const { url } = this.#target;
    if (path.includes('{id}') && !isId(values.id ?? '')) throw new NotMeasured('an id of another form');
    if (path !== '{url}') return `${url}${filledText(path, values)}`;
    const own = new URL(url);
    const named = values.url !== undefined && URL.canParse(values.url, url) ? new URL(values.url, url) : undefined;
    if (named?.origin !== own.origin) throw new NotMeasured('an address that is not of the service');
    return `${own.origin}${named.pathname}${named.search}`;
  }

  #body({ json, form, key }: PlannedRequest, values: RequestValues): Omit<SentRequest, 'method'> {
    const bearer = key === 'wrong' ? WRONG_KEY : this.#target.key;
    const headers: Record<string, string> = key === 'none' ? {} : { authorization: `Bearer ${bearer}` };
    if (form) {
      const filled = Object.entries(form).map(([name, value]) => {
        return [name, typeof value === 'string' ? filledText(value, values) : value];
      });
      const { headers: typed, body } = multipart(Object.fromEntries(filled), `${values.name}.wav`);
      return { headers: { ...headers, ...typed }, body };
    }
    if (!json) return { headers };
    const fill = (_name: string, value: unknown) => (typeof value === 'string' ? filledText(value, values) : value);
    const body = Buffer.from(JSON.stringify(json, fill));
    return { headers: { ...headers, 'content-type': 'application/json' }, body };
  }

  /** By a timer of its own: a signal of `AbortSignal.timeout` within `AbortSignal.any` is lost to a garbage collection. */
  async #answer(url: string, request: SentRequest): Promise<WholeAnswer> {
    const { timeoutMs, signal, clock } = this.#target;
    const over = new AbortController();
    const end = () => over.abort();
    const inTime = clock.after(timeoutMs, end);
    signal.addEventListener('abort', end, { once: true });
    try {
      return await exchange(url, request, over.signal);
    } finally {
      inTime();
      signal.removeEventListener('abort', end);
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

/** Of a body that nests too deep to be compared. */
export const TOO_DEEP = `a body of more than ${DEEPEST} levels`;

/** Whether a text has the documented form of an id: no other one becomes part of a path. */
export function isId(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,80}$/.test(text);
}

/** A text with values in place of `{name}`, and drift's own name. */
function filledText(text: string, values: RequestValues): string {
  const named = text.replaceAll(NAME, values.name ?? NAME);
  return named.replaceAll(/\{([a-z]+)\}/g, (whole, name: string) => values[name] ?? whole);
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
