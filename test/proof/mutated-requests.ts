import { Agent, request } from 'undici';
import { DocumentAnswers, type DocumentedOperation } from '../openapi/document-answers.ts';
import { SeededValues } from '../openapi/seeded-values.ts';
import type { World } from '../support/world.ts';
import { garbled, mutated } from './mutation.ts';

interface Examples {
  [operation: string]: { request?: unknown };
}

interface Mutated {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
}

/** What would hold the others up, or reach out, is kept from it; all else of it is mutated as anything is. */
const TAMED: Record<string, Record<string, unknown>> = {
  waitFor: { timeout: 0 },
  verifyReceiver: { url: 'http://127.0.0.1:9/', timeout_seconds: 0.2 },
  advanceClock: { seconds: 3600 },
  setClock: { frozen: false },
  setProgression: { mode: 'render', value: null },
  createFault: { match: { path: '/v1/none-such' } },
  createHold: { match: { path: '/v1/none-such' } },
};
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];
const AT_ONCE = 24;
const PATIENCE_MS = 55_000;
const MOST_KNOWN = 60;
/** Requests that replace the state; what runs beside one has half a second to end, then its connection is closed [I190]. */
const REPLACES = /\/reset\b|\/restore\b/;
const CUT = 'no answer: other side closed';
/** A HEAD that a reset overtakes: `interrupted`, without the body that says so. */
const OVERTAKEN = '502 ';
/** Failures that were asked for, or that say that a render failed: no bug of the emulator. */
const ASKED_FOR = new Set([
  'render_failed',
  'storage_full',
  'injected_fault',
  'timeout',
  'content_blocked',
  'interrupted',
]);

/** Sends requests that nobody would, derived from the documents and from recorded ones, and judges what comes back. */
export class MutatedRequests {
  readonly faults: string[] = [];
  readonly statuses: Record<string, number> = {};
  readonly #here: World;
  readonly #values: SeededValues;
  readonly #operations: DocumentedOperation[];
  readonly #examples: Examples;
  readonly #agent = new Agent({ connections: AT_ONCE, pipelining: 1 });
  #keys: string[] = [];
  #known: string[] = [];
  #addresses: string[] = ['/cdn/objects/obj_0/x.png', '/hooks/flows/none'];

  static async of(here: World, seed: number, examples: Examples): Promise<MutatedRequests> {
    const documents = await Promise.all(
      ['/openapi.json', '/_emulator/openapi.json'].map((path) => here.call('GET', path)),
    );
    const operations = documents.flatMap(({ body }) => new DocumentAnswers(body).operations);
    return new MutatedRequests(here, { seed, operations, examples });
  }

  private constructor(
    here: World,
    { seed, operations, examples }: { seed: number; operations: DocumentedOperation[]; examples: Examples },
  ) {
    this.#here = here;
    this.#values = new SeededValues(seed, 0.2);
    this.#operations = operations;
    this.#examples = examples;
  }

  async send(count: number): Promise<void> {
    for (let sent = 0; sent < count; sent += AT_ONCE) {
      if (sent % (AT_ONCE * 40) === 0) await this.#begin();
      const wanted = Math.min(AT_ONCE, count - sent);
      // All are derived before any is answered: what answers tell comes in the order of sending.
      const batch = Array.from({ length: wanted }, () => this.#derive());
      const isReplaced = batch.some(({ path }) => REPLACES.test(path));
      await Promise.all(batch.map((each) => this.#judge(each, isReplaced)));
    }
    await this.#agent.close();
  }

  /** A reset among them takes accounts away, so there are new ones now and then; most can pay for nothing dear. */
  async #begin(): Promise<void> {
    for (const path of ['/faults', '/holds']) await this.#here.control('DELETE', path);
    await this.#here.control('PUT', '/progression', { mode: 'render' });
    const rich = await this.#here.account({ plan: 'studio', credits: 100_000 });
    const poor = await this.#here.account({ credits: 2 });
    this.#keys = [rich.key, ...Array.from({ length: 9 }, () => poor.key)];
    this.#known = [rich.id, rich.workspaceId, poor.id, 'none_1'];
  }

  #derive(): Mutated {
    const values = this.#values;
    if (values.chance(0.12)) return this.#address();
    const operation = values.pick(this.#operations);
    const path = this.#path(operation);
    const [type] = Object.keys(operation.requestBody?.content ?? {});
    const headers: Record<string, string> = {};
    if (!values.chance(0.06))
      headers.authorization = `Bearer ${values.chance(0.03) ? 'svc_sk_x' : values.pick(this.#keys)}`;
    if (values.chance(0.02)) headers.origin = values.pick(['https://evil.example', 'http://localhost:3000', 'null']);
    if (type)
      headers['content-type'] = values.chance(0.03) ? 'text/plain' : type.replace('form-data', 'form-data; boundary=x');
    const method = values.chance(0.03) ? values.pick(METHODS) : operation.method;
    return {
      method,
      path,
      headers,
      body: type && method !== 'GET' && method !== 'HEAD' ? this.#body(operation, type) : undefined,
    };
  }

  /** Of the CDN and of flows: addresses that were told, and what is left of them. */
  #address(): Mutated {
    const values = this.#values;
    const known = values.pick(this.#addresses);
    const path = values.chance(0.5) ? known : asPath(garbled(known, values));
    const isHook = path.startsWith('/hooks');
    const headers: Record<string, string> = values.chance(0.3)
      ? { range: values.pick(['bytes=0-9', 'bytes=-1', 'bytes=9-1', 'x']) }
      : {};
    if (!isHook) return { method: values.pick(['GET', 'HEAD', 'GET', 'DELETE']), path, headers, body: undefined };
    return {
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(mutated({ topic: 'x' }, values)),
    };
  }

  #path({ path, parameters, operationId }: DocumentedOperation): string {
    const values = this.#values;
    const filled = path.replaceAll(/\{\w+\}/g, () => encodeURIComponent(values.pick(this.#known)));
    const query = new URLSearchParams();
    for (const each of parameters) {
      if (each.in !== 'query' || !(each.required || values.chance(0.3))) continue;
      const isId = each.name.endsWith('_id') || each.name === 'after';
      query.set(each.name, isId && values.chance(0.7) ? values.pick(this.#known) : String(values.value(each.schema)));
    }
    for (const [name, value] of Object.entries(TAMED[operationId] ?? {}))
      if (query.size > 0) query.set(name, String(value));
    const whole = query.size > 0 ? `${filled}?${query}` : filled;
    return values.chance(0.03) ? asPath(garbled(whole, values)) : whole;
  }

  #body({ operationId, requestBody }: DocumentedOperation, type: string): string {
    const values = this.#values;
    const schema = requestBody?.content[type]?.schema ?? {};
    if (type === 'multipart/form-data') return this.#form();
    const example = this.#examples[operationId]?.request;
    const base = example !== undefined && values.chance(0.5) ? example : values.value(schema);
    const body = values.chance(0.15) ? base : mutated(base, values);
    const tamed = TAMED[operationId];
    const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
    if (tamed) return JSON.stringify(isObject ? { ...body, ...tamed } : tamed);
    const text = JSON.stringify(body) ?? '';
    return values.chance(0.05) ? garbled(text, values) : text;
  }

  #form(): string {
    const values = this.#values;
    const part = (name: string, text: string) =>
      `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`;
    const file = '--x\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\n\r\nRIFF0000WAVE\r\n';
    const text = [file, part('name', String(values.pick(this.#known))), part('language', 'de')].join('');
    return values.chance(0.5) ? `${text}--x--\r\n` : garbled(`${text}--x--\r\n`, values);
  }

  async #judge(sent: Mutated, isReplaced: boolean): Promise<void> {
    const fault = await this.#faultOf(sent).catch((error: Error) => `no answer: ${error.message}`);
    const isOvertaken = fault === CUT || (sent.method === 'HEAD' && fault?.startsWith(OVERTAKEN) === true);
    if (isReplaced && isOvertaken) this.statuses.cut_by_a_reset = (this.statuses.cut_by_a_reset ?? 0) + 1;
    else if (fault) this.faults.push(`${fault} for ${JSON.stringify(sent).slice(0, 1500)}`);
  }

  async #faultOf({ method, path, headers, body }: Mutated): Promise<string | undefined> {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const options = { method: method as 'GET', headers, body: body ?? null, dispatcher: this.#agent, signal };
    const answer = await request(this.#here.url + path, options);
    const { statusCode: status } = answer;
    this.statuses[status] = (this.statuses[status] ?? 0) + 1;
    const type = String(answer.headers['content-type'] ?? '');
    if (type.startsWith('text/event-stream') && !path.startsWith('/v1')) {
      answer.body.on('error', () => undefined).destroy();
      return undefined;
    }
    const text = await answer.body.text();
    if (status < 400) return void this.#learn(type, text);
    if (method === 'HEAD' || !type.startsWith('application/json'))
      return status >= 500 ? `${status} ${text.slice(0, 200)}` : undefined;
    const { error } = JSON.parse(text) as { error?: { code?: string; message?: string } };
    if (!error?.code || !error.message) return `${status} without a code and a message`;
    return status >= 500 && !ASKED_FOR.has(error.code) && !path.startsWith('/_emulator/inbox')
      ? `${status} ${error.code}`
      : undefined;
  }

  /** Ids, and addresses of files and flows, for later requests. */
  #learn(type: string, text: string): void {
    if (!type.startsWith('application/json') || text.length > 200_000) return;
    const ids = text.match(/"(?:id|name|workspace_id)":"([^"\\]{1,60})"/g)?.slice(0, 3) ?? [];
    this.#known = [...ids.map((each) => each.slice(each.indexOf(':') + 2, -1)), ...this.#known].slice(0, MOST_KNOWN);
    const found = text.match(/\/(?:cdn|hooks)\/[^"\\ ]{1,300}/g)?.slice(0, 2) ?? [];
    this.#addresses = [...found, ...this.#addresses].slice(0, MOST_KNOWN);
  }
}

/** What a client can send as a path. */
function asPath(text: string): string {
  const path = text.replace(/[^\x21-\x7e]/g, '').replaceAll('#', '%23');
  return path.startsWith('/') ? path : `/${path}`;
}
