import type { Answer, World } from '../support/world.ts';
import { DocumentAnswers, type DocumentedOperation } from './document-answers.ts';
import { type Schema, SeededValues } from './seeded-values.ts';

/** A request as it is derived: what it was, told where its answer is wrong. */
interface Derived {
  method: string;
  path: string;
  body?: unknown;
  headers: Record<string, string>;
}

/** What would take long or reach out is set to what does not. */
const TAMED: Record<string, Record<string, unknown>> = {
  waitFor: { timeout: 0 },
  verifyReceiver: { url: 'http://127.0.0.1:9/', timeout_seconds: 0.5 },
  advanceClock: { seconds: 3600 },
};
/** What replaces the state: accounts are gone with it. */
const REPLACING = /^(reset|restore|import)/;
const RENDERING = /^create(Image|Video|Song|Speech|Transcription)$/;
/** What no message shows. */
const INNER = /node_modules|at Object|SQLITE/;
const MOST_IDS = 40;
/** No answer takes so long on a machine that does other things too. */
const PATIENCE_MS = 40_000;

/** Sends requests that are derived from both documents of an emulator, and judges what comes back. */
export class DerivedRequests {
  readonly faults: string[] = [];
  readonly statuses = new Map<number, number>();
  readonly #emulator: World;
  readonly #values: SeededValues;
  readonly #documents: DocumentAnswers[];
  #ids: string[] = [];
  #rich = '';
  #poor = '';

  /** `spoilt` is how often, of 1, a value is another one than its schema asks for. */
  static async of(emulator: World, seed: number, spoilt?: number): Promise<DerivedRequests> {
    const paths = ['/openapi.json', '/_emulator/openapi.json'];
    const documents = await Promise.all(paths.map((path) => emulator.call('GET', path)));
    return new DerivedRequests(
      emulator,
      new SeededValues(seed, spoilt),
      documents.map(({ body }) => new DocumentAnswers(body)),
    );
  }

  private constructor(emulator: World, values: SeededValues, documents: DocumentAnswers[]) {
    this.#emulator = emulator;
    this.#values = values;
    this.#documents = documents;
  }

  async send(count: number): Promise<void> {
    await this.#openAccounts();
    for (let n = 0; n < count; n += 1) {
      const document = this.#values.pick(this.#documents);
      await this.#sendOne(document, this.#values.pick(document.operations));
    }
  }

  /** So many requests to each operation that takes JSON. */
  async sendToEach(count: number): Promise<void> {
    await this.#openAccounts();
    for (const document of this.#documents)
      for (const operation of document.operations.filter(takesJson))
        for (let n = 0; n < count; n += 1) await this.#sendOne(document, operation);
  }

  async #sendOne(document: DocumentAnswers, operation: DocumentedOperation): Promise<void> {
    const request = this.#derive(operation);
    const answer = await this.#answerTo(request);
    const fault = answer ? (faultOf(document, operation, answer) ?? (await this.#wrongCharge(answer))) : 'no answer';
    if (fault) this.faults.push(`${operation.operationId} ${told(request)}: ${fault}`);
    if (!answer) return;
    this.statuses.set(answer.status, (this.statuses.get(answer.status) ?? 0) + 1);
    this.#learn(answer);
    await this.#undo(operation.operationId, answer);
  }

  /** Who is refused pays nothing. */
  async #wrongCharge({ status, headers }: Answer): Promise<string | undefined> {
    if (status < 400 || status >= 500) return undefined;
    const { body } = await this.#emulator.control('GET', `/requests/${headers.get('x-request-id')}`);
    return body?.credits > 0 ? `${status}, and ${body.credits} credits were charged` : undefined;
  }

  /** What would change what all later requests get is taken back: rules that fail them, jobs that wait for a hand. */
  async #undo(operationId: string, { status, body }: Answer): Promise<void> {
    if (status >= 300) return;
    if (operationId === 'createFault') await this.#emulator.control('DELETE', '/faults');
    if (operationId === 'createHold') await this.#emulator.control('DELETE', '/holds');
    if (operationId === 'setProgression') {
      const { account_id } = body;
      await this.#emulator.control('PUT', '/progression', { mode: 'render' });
      if (account_id) await this.#emulator.control('PUT', '/progression', { mode: null, account_id });
    }
    if (REPLACING.test(operationId)) await this.#openAccounts();
  }

  /** Endless answers are left after their headers. */
  async #answerTo({ method, path, body, headers }: Derived): Promise<Answer | undefined> {
    const cut = new AbortController();
    const signal = AbortSignal.any([cut.signal, AbortSignal.timeout(PATIENCE_MS)]);
    try {
      const written = body as RequestInit['body'];
      const response = await fetch(this.#emulator.url + path, {
        method,
        headers,
        body: written,
        signal,
      });
      const type = response.headers.get('content-type') ?? '';
      const isEndless = type.startsWith('text/event-stream') && !path.startsWith('/v1/');
      const bytes = isEndless ? Buffer.alloc(0) : Buffer.from(await response.arrayBuffer());
      const parsed = type.startsWith('application/json') ? JSON.parse(bytes.toString()) : undefined;
      return { status: response.status, headers: response.headers, body: parsed, bytes };
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    } finally {
      cut.abort();
    }
  }

  #derive(operation: DocumentedOperation): Derived {
    const { method, operationId } = operation;
    const content = operation.requestBody?.content ?? {};
    const [type] = Object.keys(content);
    const headers = this.#key(operationId);
    const path = this.#path(operation);
    if (type === undefined) return { method, path, headers };
    if (type === 'multipart/form-data') return { method, path, headers, body: this.#form(content[type]?.schema ?? {}) };
    headers['content-type'] = type;
    if (type !== 'application/json') return { method, path, headers, body: 'no archive' };
    const body = this.#values.value(content[type]?.schema ?? {});
    const tamed = TAMED[operationId];
    return {
      method,
      path,
      headers,
      body: JSON.stringify(tamed ? Object.assign(Object(body), tamed) : this.#withIds(body)),
    };
  }

  #key(operationId: string): Record<string, string> {
    if (this.#values.chance(0.05)) return {};
    const usual = RENDERING.test(operationId) && this.#values.chance(0.85) ? this.#poor : this.#rich;
    const key = this.#values.chance(0.05) ? 'svc_sk_wrong' : usual;
    return { authorization: `Bearer ${key}` };
  }

  #path({ path, parameters, operationId }: DocumentedOperation): string {
    const filled = path.replaceAll(/\{\w+\}/g, () => encodeURIComponent(this.#id()));
    const asked = parameters.filter((each) => each.in === 'query' && (each.required || this.#values.chance(0.4)));
    const query = asked.map(({ name, schema }): [string, string] => [
      name,
      name.endsWith('_id') || name === 'after' ? this.#id() : String(this.#values.value(schema)),
    ]);
    const tamed = asQuery(TAMED[operationId]);
    const text = new URLSearchParams([...query.filter(([name]) => !tamed.some(([other]) => other === name)), ...tamed]);
    return parameters.some((each) => each.in === 'query') ? `${filled}?${text}` : filled;
  }

  #form(schema: Schema): FormData {
    const form = new FormData();
    const { file, ...fields } = schema.properties ?? {};
    if (file && !this.#values.chance(0.1)) form.set('file', new Blob(['RIFF0000WAVE']), 'x.wav');
    for (const [name, field] of Object.entries(fields)) {
      if (this.#values.chance(0.5)) form.set(name, String(this.#values.value(field)));
    }
    return form;
  }

  /** Fields that name something name what there is, more often than not. */
  #withIds(body: unknown): unknown {
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
    return Object.fromEntries(
      Object.entries(body).map(([name, value]) => [
        name,
        typeof value === 'string' && name.endsWith('_id') ? this.#id() : value,
      ]),
    );
  }

  #id(): string {
    return this.#ids.length === 0 || this.#values.chance(0.15) ? 'none_1' : this.#values.pick(this.#ids);
  }

  /** Ids and names of what has been made, for later requests. */
  #learn({ body, status }: Answer): void {
    if (status >= 400) return;
    const rows = Array.isArray(body?.data) ? body.data.slice(0, 2) : [body];
    const found = rows.flatMap(
      (row: { id?: unknown; name?: unknown; workspace_id?: unknown; hook_url?: string } | undefined) => [
        row?.id,
        row?.name,
        row?.workspace_id,
        row?.hook_url?.split('/').at(-1),
      ],
    );
    const names = found.filter((id: unknown): id is string => typeof id === 'string' && id !== '');
    this.#ids = [...names, ...this.#ids].slice(0, MOST_IDS);
  }

  async #openAccounts(): Promise<void> {
    const rich = await this.#emulator.account({ plan: 'studio', credits: 1_000_000 });
    const poor = await this.#emulator.account({ credits: 0 });
    this.#rich = rich.key;
    this.#poor = poor.key;
    this.#ids = [rich.id, rich.workspaceId, poor.id];
  }
}

function faultOf(document: DocumentAnswers, operation: DocumentedOperation, answer: Answer) {
  if (answer.status >= 500) return `${answer.status} ${answer.body?.error?.code}`;
  const { message = '' } = answer.status >= 400 ? (answer.body?.error ?? {}) : {};
  if (message.length >= 1000 || INNER.test(message) || message.includes(process.cwd())) return `says ${message}`;
  return document.fault(operation, answer);
}

function takesJson({ requestBody }: DocumentedOperation): boolean {
  return requestBody?.content['application/json'] !== undefined;
}

function told(request: Derived): string {
  return JSON.stringify(request).slice(0, 600);
}

function asQuery(tamed: Record<string, unknown> = {}): [string, string][] {
  return Object.entries(tamed).map(([name, value]) => [name, String(value)]);
}
