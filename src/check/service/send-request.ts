import type { Clock } from '../../base/clock/clock.ts';
import { parsedJson } from '../../base/text.ts';
import { DEEPEST, isShallow } from '../../service/http/json-bounds.ts';
import { NAME, type PlannedRequest } from './plan.ts';
import { mediaType, type ReceivedAnswer } from './shapes.ts';

/** Why an answer says nothing of the interface. */
export class NotMeasured extends Error {
  override name = 'NotMeasured';
  /** Whether the service has answered at all. */
  readonly isAnswered: boolean;

  constructor(why: string, isAnswered = true) {
    super(why);
    this.isAnswered = isAnswered;
  }
}

/** A request as it is sent. */
interface SentRequest {
  method: string;
  headers: Record<string, string>;
  body?: Buffer;
}

const CUT = 'an answer that is cut';
const LARGEST = 64 * 1024 * 1024;
/** Answers come as they are: nothing is unpacked. */
const USUAL = { 'accept-encoding': 'identity', 'user-agent': 'svc-emulator-drift', accept: '*/*' };
/** How long a request takes is limited by its signal alone. */
const UNTIMED = { connectTimeout: 0, headersTimeout: 0, bodyTimeout: 0 };

/**
 * Sends one request, follows no redirect and resolves with the whole answer. Throws `NotMeasured` where there is none, it is
 * cut, too large, packed or a redirect, and when `over` aborts, which ends the request wherever it is.
 */
async function exchange(
  url: string,
  { method, headers, body }: SentRequest,
  over: AbortSignal,
): Promise<Omit<ReceivedAnswer, 'json'>> {
  // Loaded with the first request.
  const { Client } = (await import('undici')).default;
  const { origin, pathname, search } = new URL(url);
  const client = new Client(origin, { ...UNTIMED, maxResponseSize: LARGEST });
  try {
    const sent = { method, path: `${pathname}${search}`, headers: { ...USUAL, ...headers }, body: body ?? null };
    const answer = await client.request({ ...sent, signal: over }).catch(() => {
      throw new NotMeasured('no answer', false);
    });
    // One that is of no use is not read to its end.
    answer.body.on('error', () => undefined);
    const named = Object.entries(answer.headers).map(([name, value]) => [name, String(value)]);
    const given = Object.fromEntries(named);
    requireComparable(answer.statusCode, given['content-type'], given['content-encoding']);
    const bytes = await answer.body.bytes().catch((error) => {
      const isLarge = Object(error).code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE';
      throw isLarge ? new NotMeasured('an answer of more than 64 MiB') : new NotMeasured(CUT, false);
    });
    return { status: answer.statusCode, headers: given, bytes: Buffer.from(bytes) };
  } finally {
    await client.destroy();
  }
}

/**
 * Throws `NotMeasured` for an answer that is none of the interface, by its status and its type; and for one that is packed,
 * as that was not asked for, and a small one may unpack to any size.
 */
export function requireComparable(status: number, type: string | undefined, packed = 'identity'): void {
  if (status < 200 || status > 599) throw new NotMeasured(`status ${status}, which is none`);
  if (status >= 300 && status < 400) throw new NotMeasured(`redirect ${status}`);
  if (packed !== 'identity' && packed !== '') throw new NotMeasured('a packed body');
  if (mediaType(type) === 'text/html') throw new NotMeasured('a page of HTML');
}

/** Throws `NotMeasured` for JSON that nests too deep to be compared. */
export function requireShallow(...bodies: readonly unknown[]): void {
  if (!bodies.every((each) => isShallow(each))) throw new NotMeasured(`a body of more than ${DEEPEST} levels`);
}

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

/** How long a request that is under way goes on after the measurement was ended, in milliseconds. */
const GRACE_MS = 3000;

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
    const answer = await this.#answer(url, { method: request.method, ...(await this.#body(request, values)) });
    const isJson = mediaType(answer.headers['content-type']) === 'application/json';
    const json = isJson ? parsedJson(answer.bytes.toString()) : undefined;
    requireShallow(json);
    return { ...answer, json };
  }

  /** The same; undefined where there is none that can be compared. */
  async sendIfMeasured(request: PlannedRequest): Promise<ReceivedAnswer | undefined> {
    try {
      return await this.send(request, {});
    } catch (error) {
      if (error instanceof NotMeasured) return undefined;
      throw error;
    }
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

  async #body({ json, form, key }: PlannedRequest, values: RequestValues): Promise<Omit<SentRequest, 'method'>> {
    const bearer = key === 'wrong' ? WRONG_KEY : this.#target.key;
    const headers: Record<string, string> = key === 'none' ? {} : { authorization: `Bearer ${bearer}` };
    if (form) {
      const fields = new FormData();
      for (const [name, value] of Object.entries(form)) {
        const isText = typeof value === 'string';
        fields.append(name, isText ? filledText(value, values) : new File([value], `${values.name}.wav`));
      }
      const written = new Response(fields);
      headers['content-type'] = written.headers.get('content-type') ?? '';
      return { headers, body: Buffer.from(await written.arrayBuffer()) };
    }
    if (!json) return { headers };
    const fill = (_name: string, value: unknown) => (typeof value === 'string' ? filledText(value, values) : value);
    const body = Buffer.from(JSON.stringify(json, fill));
    return { headers: { ...headers, 'content-type': 'application/json' }, body };
  }

  /**
   * After Ctrl-C a request under way has a moment to be answered: what it makes would be made after the clean-up has looked.
   * Its time limit is a timer of its own: a signal of `AbortSignal.timeout` within `AbortSignal.any` is lost to a garbage
   * collection.
   */
  async #answer(url: string, request: SentRequest): ReturnType<typeof exchange> {
    const { timeoutMs, signal, clock } = this.#target;
    const over = new AbortController();
    const end = () => over.abort();
    const timers = [clock.after(timeoutMs, end)];
    const endSoon = () => timers.push(clock.after(GRACE_MS, end));
    signal.addEventListener('abort', endSoon, { once: true });
    try {
      return await exchange(url, request, over.signal);
    } finally {
      for (const cancel of timers) cancel();
      signal.removeEventListener('abort', endSoon);
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

/** Throws `NotMeasured` for the status of a service that is down, asks to be paid or to be left alone. */
export function requireInService(status: number): void {
  if (status === 402 || status === 429 || status >= 500) throw new NotMeasured(`${status}`);
}

/** Whether a text has the documented form of an id: no other one becomes part of a path. */
export function isId(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,80}$/.test(text);
}

/** A text with values in place of `{name}`, and drift's own name. */
function filledText(text: string, values: RequestValues): string {
  const named = text.replaceAll(NAME, values.name ?? NAME);
  return named.replaceAll(/\{([a-z]+)\}/g, (whole, name: string) => values[name] ?? whole);
}
