import { z } from 'zod';
import { LocalHttpClient, type LocalRequestOptions, readResponseText } from '../base/local-requests.ts';
import { tryParseJson } from '../base/text.ts';
import { createOperationCaller, type Query, type Transport } from './call-operation.ts';
import { ControlError, NoEmulator, NotAnEmulator } from './control-errors.ts';

export interface ConnectionOptions {
  /** Required only if the emulator accepts connections from other machines. */
  controlToken?: string | undefined;
  onUnused?(fields: string): void;
  signal?: AbortSignal;
}

export interface ServerSentEvent {
  id: string;
  event: string;
  data: string;
}

export class ControlConnection {
  readonly url: string;
  readonly #headers: Record<string, string>;
  readonly #options: ConnectionOptions;
  readonly #requests: LocalHttpClient;

  constructor(url: string, options: ConnectionOptions = {}, requests: LocalHttpClient = new LocalHttpClient()) {
    const { controlToken } = options;
    this.#requests = requests;
    this.url = url.replace(/(?<!\/)\/+$/, '');
    this.#headers = controlToken ? { authorization: `Bearer ${controlToken}` } : {};
    this.#options = options;
  }

  until(signal: AbortSignal): ControlConnection {
    return new ControlConnection(this.url, { ...this.#options, signal }, this.#requests);
  }

  readonly transport: Transport = (method, path, { query, body } = {}) => {
    const json = { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    return this.#ask(path + queryText(query), { method, ...(body === undefined ? {} : json) });
  };

  readonly call = createOperationCaller(this.transport);

  /** `path` is relative to `/_emulator`, such as `/live`. Throws if the connection is lost. */
  async *stream(path: string, query: Query, signal: AbortSignal): AsyncGenerator<ServerSentEvent> {
    yield* readEvents(await this.#send(`/_emulator${path}${queryText(query)}`, { signal }));
  }

  async #ask(path: string, request: LocalRequestOptions): Promise<unknown> {
    const { signal, onUnused } = this.#options;
    const response = await this.#send(path, { ...request, signal });
    const text = await readResponseText(response);
    const { headers: given } = response;
    const unused = given['svc-emulator-warnings'];
    if (unused !== undefined) onUnused?.(String(unused));
    if (!given['content-type']?.startsWith('application/json')) return text || undefined;
    const answer = tryParseJson(text);
    if (answer === undefined) throw this.#notAnEmulator();
    return answer;
  }

  async #send(path: string, request: LocalRequestOptions) {
    const headers = { ...this.#headers, ...request.headers };
    const ask = () => this.#requests.send(this.url + path, { ...request, headers });
    // Sends a GET again if it fails, because a kept connection may close just before it is used.
    const asked = request.method === 'GET' ? ask().catch(ask) : ask();
    const response = await asked.catch((cause) => {
      if (request.signal?.aborted) throw cause;
      throw new NoEmulator(
        `No emulator responds at ${this.url}. Start one with svc-emulator start, or set its address with --host and --port.`,
        { cause },
      );
    });
    const { statusCode = 0 } = response;
    if (statusCode >= 400) throw this.#refusal(statusCode, await readResponseText(response));
    return response;
  }

  #refusal(status: number, text: string): Error {
    const read = refusal.safeParse(tryParseJson(text));
    return read.success ? new ControlError(status, read.data.error) : this.#notAnEmulator(status);
  }

  #notAnEmulator(status = 200): NotAnEmulator {
    return new NotAnEmulator(
      `The server at ${this.url} is not svc-emulator: it returned status ${status} and a body that no operation returns. Check the address.`,
    );
  }
}

const refusal = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    param: z
      .string()
      .nullish()
      .transform((value) => value ?? null),
  }),
});

function queryText(query: Query = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  if (given.length === 0) return '';
  return `?${new URLSearchParams(Object.fromEntries(given.map(([name, value]) => [name, String(value)])))}`;
}

async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) yield parseEvent(block);
  }
}

/** The emulator writes the data of an event in one line. */
function parseEvent(block: string): ServerSentEvent {
  const fields = block.split('\n').map((line) => line.split(/: (.*)/s));
  const { id = '', event = '', data = '' } = Object.fromEntries(fields) as Partial<ServerSentEvent>;
  return { id, event, data };
}
