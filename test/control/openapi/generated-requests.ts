import type { SchemaObject } from 'ajv';
import { Agent, request } from 'undici';
import type { Answer, World } from '../../support/world.ts';
import { DocumentAnswers, type DocumentedOperation } from './document-answers.ts';
import { garbled, mutated } from './mutation.ts';
import { SeededValues } from './seeded-values.ts';

/** An operation, and the document that describes its responses. */
interface Target {
  document: DocumentAnswers;
  operation: DocumentedOperation;
}

interface Generated {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string | undefined;
  /** The addressed operation; undefined if mutation changed the method or path. */
  target?: Target | undefined;
}

interface Variation {
  /** The probability that a value does not match its schema. */
  invalid?: number;
  /** Recorded requests. If they are given, requests are mutated, and many are sent at once. */
  examples?: Record<string, { request?: unknown }>;
}

type Fields = Record<string, Record<string, unknown>>;

/** Fields that keep operations from taking long or calling other hosts. */
const TAMED: Fields = {
  waitFor: { timeout: 0 },
  verifyReceiver: { url: 'http://127.0.0.1:9/', timeout_seconds: 0.5 },
  advanceClock: { seconds: 3600 },
};
/** For parallel requests, also fields that keep operations from blocking others. `#undo` reverts them otherwise. */
const TAMED_TOGETHER: Fields = {
  ...TAMED,
  setClock: { frozen: false },
  setProgression: { mode: 'render', value: null },
  createFault: { match: { path: '/v1/none-such' } },
  createHold: { match: { path: '/v1/none-such' } },
};
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];
const RENDERING = /^create(Image|Video|Song|Speech|Transcription)$/;
/** An id so long that no message may quote all of it. */
const LONG_ID = 'none_1'.repeat(300);
const INNER = /node_modules|at Object|SQLITE/;
/** Empty and dot segments, which would change the operation that a path addresses. */
const DOTS = /^\.{0,2}$/;
const AT_ONCE = 24;
/** The number of batches after which new accounts are opened, because requests may delete the old ones. */
const BATCHES = 40;
const MAX_KNOWN = 60;
/** Longer than any response takes on a busy machine. */
const TIMEOUT_MS = 55_000;
/** Requests that replace the state. After half a second, they close the connections of parallel requests [I190]. */
const REPLACES = /\/(?:reset|restore|import)\b/;
const CUT = 'no answer: other side closed';
/** The failure of a HEAD request that a reset interrupted. It has no body with the code `interrupted`. */
const OVERTAKEN = '502 ';
/** Codes of failures that a request asked for, or of failed renders. They are not bugs of the emulator. */
const ASKED_FOR = new Set([
  ...['render_failed', 'storage_full', 'injected_fault', 'timeout', 'content_blocked', 'interrupted'],
]);

/** Sends requests that are generated from both documents of an emulator, and checks the responses. */
export class GeneratedRequests {
  readonly faults: string[] = [];
  readonly statuses: Record<string, number> = {};
  readonly #here: World;
  readonly #values: SeededValues;
  readonly #examples: Variation['examples'];
  readonly #targets: Target[][];
  readonly #checks: Promise<void>[] = [];
  readonly #agent = new Agent({ connections: AT_ONCE, pipelining: 1 });
  #rich = '';
  #poor = '';
  #known: string[] = [];
  #addresses: string[] = ['/cdn/objects/obj_0/x.png', '/hooks/flows/none'];

  static async of(here: World, seed: number, variation: Variation = {}): Promise<GeneratedRequests> {
    const answers = await Promise.all(
      ['/openapi.json', '/_emulator/openapi.json'].map((path) => here.call('GET', path)),
    );
    const documents = answers.map(({ body }) => new DocumentAnswers(body));
    return new GeneratedRequests(here, new SeededValues(seed, variation.invalid), { ...variation, documents });
  }

  private constructor(here: World, values: SeededValues, given: Variation & { documents: DocumentAnswers[] }) {
    this.#here = here;
    this.#values = values;
    this.#examples = given.examples;
    this.#targets = given.documents.map((document) =>
      document.operations.map((operation) => ({ document, operation })),
    );
  }

  async send(count: number): Promise<void> {
    const atOnce = this.#examples ? AT_ONCE : 1;
    for (let sent = 0; sent < count; sent += atOnce) {
      if (sent % (atOnce * BATCHES) === 0) await this.#openAccounts();
      const length = Math.min(atOnce, count - sent);
      // All requests of a batch are generated before a response can change the known ids.
      await this.#sendTogether(Array.from({ length }, () => this.#generate()));
    }
    await this.#end();
  }

  /** Sends `count` requests to each operation that takes JSON. */
  async sendToEach(count: number): Promise<void> {
    await this.#openAccounts();
    for (const target of this.#targets.flat().filter(takesJson))
      for (let n = 0; n < count; n += 1) await this.#sendTogether([this.#requestTo(target)]);
    await this.#end();
  }

  async #sendTogether(batch: Generated[]): Promise<void> {
    const isReplaced = batch.some(({ path }) => REPLACES.test(path));
    await Promise.all(batch.map((each) => this.#judge(each, isReplaced)));
    if (isReplaced) await this.#openAccounts();
  }

  async #openAccounts(): Promise<void> {
    for (const path of ['/faults', '/holds']) await this.#here.control('DELETE', path);
    await this.#here.control('PUT', '/progression', { mode: 'render' });
    const rich = await this.#here.account({ plan: 'studio', credits: 1_000_000 });
    const poor = await this.#here.account({ credits: 0 });
    this.#rich = rich.key;
    this.#poor = poor.key;
    this.#known = [rich.id, rich.workspaceId, poor.id];
  }

  #generate(): Generated {
    if (this.#mutates(0.12)) return this.#readOrHook();
    return this.#requestTo(this.#values.pick(this.#values.pick(this.#targets)));
  }

  #mutates(share: number): boolean {
    return this.#examples !== undefined && this.#values.chance(share);
  }

  /** A request to a CDN or flow address from an earlier response, which may be mutated. */
  #readOrHook(): Generated {
    const values = this.#values;
    const known = values.pick(this.#addresses);
    const path = values.chance(0.5) ? known : asPath(garbled(known, values));
    if (path.startsWith('/hooks')) {
      const body = JSON.stringify(mutated({ topic: 'x' }, values));
      return { method: 'POST', path, headers: { 'content-type': 'application/json' }, body };
    }
    const range = values.pick(['bytes=0-9', 'bytes=-1', 'bytes=9-1', 'x']);
    const method = values.pick(['GET', 'HEAD', 'GET', 'DELETE']);
    return { method, path, headers: values.chance(0.3) ? { range } : {} };
  }

  #requestTo(target: Target): Generated {
    const { operation } = target;
    const values = this.#values;
    const path = this.#path(operation);
    const [type] = Object.keys(operation.requestBody?.content ?? {});
    const headers = this.#headers(operation.operationId, type);
    const method = this.#mutates(0.03) ? values.pick(METHODS) : operation.method;
    const sent = this.#mutates(0.03) ? asPath(garbled(path, values)) : path;
    const hasBody = type !== undefined && method !== 'GET' && method !== 'HEAD';
    return {
      ...{ method, path: sent, headers },
      body: hasBody ? this.#body(operation, type) : undefined,
      target: method === operation.method && sent === path ? target : undefined,
    };
  }

  #headers(operationId: string, type: string | undefined): Record<string, string> {
    const values = this.#values;
    const headers: Record<string, string> = {};
    const usual = RENDERING.test(operationId) && values.chance(0.85) ? this.#poor : this.#rich;
    if (!values.chance(0.05)) headers.authorization = `Bearer ${values.chance(0.05) ? 'svc_sk_wrong' : usual}`;
    if (this.#mutates(0.02)) headers.origin = values.pick(['https://evil.example', 'http://localhost:3000', 'null']);
    if (type !== undefined)
      headers['content-type'] = this.#mutates(0.03) ? 'text/plain' : type.replace('form-data', '$&; boundary=x');
    return headers;
  }

  #path({ path, parameters, operationId }: DocumentedOperation): string {
    const filled = path.replaceAll(/\{\w+\}/g, () => encodeURIComponent(this.#id()).replace(DOTS, 'none_1'));
    const query = new URLSearchParams();
    const inQuery = parameters.filter((each) => each.in === 'query');
    for (const { name, schema, required } of inQuery) {
      if (!required && !this.#values.chance(0.4)) continue;
      query.set(name, name.endsWith('_id') || name === 'after' ? this.#id() : String(this.#values.value(schema)));
    }
    if (inQuery.length > 0)
      for (const [name, value] of Object.entries(this.#tamed(operationId) ?? {})) query.set(name, String(value));
    return query.size > 0 ? `${filled}?${query}` : filled;
  }

  #tamed(operationId: string): Record<string, unknown> | undefined {
    return (this.#examples ? TAMED_TOGETHER : TAMED)[operationId];
  }

  #body({ operationId, requestBody }: DocumentedOperation, type: string): string {
    const values = this.#values;
    const schema = requestBody?.content[type]?.schema ?? {};
    if (type !== 'application/json') {
      const text = this.#form(schema);
      return this.#mutates(0.5) ? garbled(text, values) : text;
    }
    const example = this.#examples?.[operationId]?.request;
    const base = example !== undefined && values.chance(0.5) ? example : values.value(schema);
    const body = this.#mutates(0.85) ? mutated(base, values) : this.#withIds(base);
    const tamed = this.#tamed(operationId);
    if (tamed) return JSON.stringify({ ...(isRecord(body) ? body : {}), ...tamed });
    const text = JSON.stringify(body) ?? '';
    return this.#mutates(0.05) ? garbled(text, values) : text;
  }

  #form({ properties = {} }: SchemaObject): string {
    const part = (head: string, text: string) => `--x\r\ncontent-disposition: form-data; ${head}\r\n\r\n${text}\r\n`;
    const { file, ...fields } = properties;
    const parts = Object.entries<SchemaObject>(fields)
      .filter(() => this.#values.chance(0.5))
      .map(([name, field]) => part(`name="${name}"`, String(this.#values.value(field))));
    if (file && !this.#values.chance(0.1)) parts.push(part('name="file"; filename="a.wav"', 'RIFF0000WAVE'));
    return `${parts.join('')}--x--\r\n`;
  }

  /** Replaces the values of `_id` fields, mostly by ids that exist. */
  #withIds(body: unknown): unknown {
    if (!isRecord(body)) return body;
    const isId = (name: string, value: unknown) => typeof value === 'string' && name.endsWith('_id');
    return Object.fromEntries(
      Object.entries(body).map(([name, value]) => [name, isId(name, value) ? this.#id() : value]),
    );
  }

  #id(): string {
    return this.#values.chance(0.15) ? LONG_ID : this.#values.pick(this.#known);
  }

  async #judge(sent: Generated, isReplaced: boolean): Promise<void> {
    const fault = await this.#faultOf(sent).catch((error: Error) => `no answer: ${error.message}`);
    const isOvertaken = fault === CUT || (sent.method === 'HEAD' && fault?.startsWith(OVERTAKEN) === true);
    const { target, ...shown } = sent;
    if (isReplaced && isOvertaken) this.statuses.cut_by_a_reset = (this.statuses.cut_by_a_reset ?? 0) + 1;
    else if (fault)
      this.faults.push(`${target?.operation.operationId} ${JSON.stringify(shown).slice(0, 1500)}: ${fault}`);
  }

  async #faultOf(sent: Generated): Promise<string | undefined> {
    const answer = await this.#answerTo(sent);
    this.statuses[answer.status] = (this.statuses[answer.status] ?? 0) + 1;
    if (answer.status < 400) this.#learn(answer);
    const { target } = sent;
    const fault = this.#failureOf(sent, answer) ?? target?.document.fault(target.operation, answer);
    if (fault !== undefined || this.#examples) return fault;
    this.#checks.push(this.#checkCharge(sent, answer));
    return this.#undo(target?.operation.operationId, answer);
  }

  /** An endless response is closed after its headers. */
  async #answerTo({ method, path, headers, body }: Generated): Promise<Answer> {
    const options = { method: method as 'GET', headers, body: body ?? null, dispatcher: this.#agent };
    const answer = await request(this.#here.url + path, { ...options, signal: AbortSignal.timeout(TIMEOUT_MS) });
    const type = String(answer.headers['content-type'] ?? '');
    const isEndless = type.startsWith('text/event-stream') && !path.startsWith('/v1/');
    if (isEndless) answer.body.on('error', () => undefined).destroy();
    const bytes = isEndless ? Buffer.alloc(0) : Buffer.from(await answer.body.arrayBuffer());
    const isJson = type.startsWith('application/json') && bytes.length > 0;
    const read = isJson ? JSON.parse(bytes.toString()) : undefined;
    const shown = Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)]);
    return { status: answer.statusCode, headers: new Headers(shown), body: read, bytes };
  }

  /** Describes an unexpected failure, or an error without a proper code and message. */
  #failureOf({ method, path }: Generated, { status, headers, body, bytes }: Answer): string | undefined {
    if (status < 400) return undefined;
    if (method === 'HEAD' || !headers.get('content-type')?.startsWith('application/json'))
      return status >= 500 ? `${status} ${bytes.toString().slice(0, 200)}` : undefined;
    const { code, message } = body?.error ?? {};
    if (!code || !message) return `${status} without a code and a message`;
    if (message.length >= 1000 || INNER.test(message) || message.includes(process.cwd())) return `says ${message}`;
    const isExpected = this.#examples && (ASKED_FOR.has(code) || path.startsWith('/_emulator/inbox'));
    return status >= 500 && !isExpected ? `${status} ${code}` : undefined;
  }

  /** Checks that a rejected request costs nothing. The next request does not wait for this check. */
  async #checkCharge({ target }: Generated, { status, headers }: Answer): Promise<void> {
    if (status < 400 || status >= 500) return;
    const { body } = await this.#here.control('GET', `/requests/${headers.get('x-request-id')}`);
    if (body?.credits > 0) this.faults.push(`${target?.operation.operationId}: ${status} cost ${body.credits} credits`);
  }

  async #end(): Promise<void> {
    await Promise.all(this.#checks);
    await this.#agent.close();
  }

  /** Reverts what would affect all later requests: fault rules, holds and the progression of jobs. */
  async #undo(operationId: string | undefined, { status, body }: Answer): Promise<undefined> {
    if (status >= 300) return;
    if (operationId === 'createFault') await this.#here.control('DELETE', '/faults');
    if (operationId === 'createHold') await this.#here.control('DELETE', '/holds');
    if (operationId !== 'setProgression') return;
    await this.#here.control('PUT', '/progression', { mode: 'render' });
    const { account_id } = body;
    if (account_id) await this.#here.control('PUT', '/progression', { mode: null, account_id });
  }

  /** Collects ids, names, and addresses of files and flows for later requests. */
  #learn({ body, bytes }: Answer): void {
    if (body === undefined || bytes.length > 200_000) return;
    const text = bytes.toString();
    const ids = text.match(/"(?:id|name|workspace_id)":"([^"\\]{1,60})"/g)?.slice(0, 4) ?? [];
    const found = text.match(/\/(?:cdn|hooks)\/[^"\\ ]{1,300}/g)?.slice(0, 2) ?? [];
    const hooks = found.filter((each) => each.startsWith('/hooks')).map((each) => each.split('/').at(-1) ?? '');
    // A client resolves `.` and `..` in a path before it sends the request.
    const names = ids.map((each) => each.slice(each.indexOf(':') + 2, -1)).filter((name) => !/^\.{1,2}$/.test(name));
    this.#known = [...names, ...hooks, ...this.#known].slice(0, MAX_KNOWN);
    this.#addresses = [...found, ...this.#addresses].slice(0, MAX_KNOWN);
  }
}

function takesJson({ operation }: Target): boolean {
  return operation.requestBody?.content['application/json'] !== undefined;
}

function isRecord(body: unknown): body is Record<string, unknown> {
  return typeof body === 'object' && body !== null && !Array.isArray(body);
}

function asPath(text: string): string {
  const path = text.replace(/[^\x21-\x7e]/g, '').replaceAll('#', '%23');
  return path.startsWith('/') ? path : `/${path}`;
}
