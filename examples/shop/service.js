import { setTimeout as wait } from 'node:timers/promises';

/** The service rejected the request. Nothing was charged, and the same request fails again. */
export class Rejected extends Error {}
/** The service could not do it now. Nothing stays charged. `retryAfter` is in milliseconds. */
export class Busy extends Error {}
/** No whole response arrived, so a paid request may have been charged. */
export class NoResponse extends Error {}

const MAX_ATTEMPTS = 4;

/** A client of the service. `once` sends a request a single time; `read` and `file` are free and try again. */
export function connectService({ baseUrl, apiKey, timeoutMs = 15_000 }) {
  async function send(method, url, body) {
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
    try {
      const signal = AbortSignal.timeout(timeoutMs);
      const response = await fetch(url, { method, headers, body: body && JSON.stringify(body), signal });
      return { response, bytes: Buffer.from(await response.arrayBuffer()) };
    } catch (cause) {
      throw new NoResponse(`No response to ${method} ${url}`, { cause });
    }
  }

  function failure({ response, bytes }) {
    const { code, message } = parse(bytes).error ?? { code: 'unknown', message: `Status ${response.status}` };
    const isBusy = response.status === 429 || response.status >= 500;
    const error = new (isBusy ? Busy : Rejected)(message);
    return Object.assign(error, { code, retryAfter: Number(response.headers.get('retry-after') ?? 0.5) * 1000 });
  }

  async function once(method, path, body) {
    const answer = await send(method, `${baseUrl}${path}`, body);
    if (answer.response.ok) return parse(answer.bytes);
    throw failure(answer);
  }

  return {
    once,
    read: (path) => repeat(() => once('GET', path)),
    /** The whole file behind a URL. A file that ends early is no response. */
    file: (url) =>
      repeat(async () => {
        const answer = await send('GET', url);
        if (answer.response.ok) return answer.bytes;
        throw failure(answer);
      }),
  };
}

/** Tries again what does no harm if it is done twice. */
export async function repeat(attempt) {
  for (let left = MAX_ATTEMPTS - 1; ; left--) {
    try {
      return await attempt();
    } catch (error) {
      const isTemporary = error instanceof Busy || error instanceof NoResponse;
      if (!isTemporary || left === 0) throw error;
      await wait(error.retryAfter ?? 500);
    }
  }
}

function parse(bytes) {
  try {
    return JSON.parse(bytes);
  } catch {
    return {};
  }
}
