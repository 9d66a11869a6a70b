import type { ServerResponse } from 'node:http';
import type { Clock } from '../../base/clock/clock.ts';
import type { Database } from '../../base/database/database.ts';
import { EmulatorError } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';
import { parsedJson } from '../../base/text.ts';
import type { Caller } from '../../engine/accounts/account-store.ts';
import type { Accounts } from '../../engine/accounts/accounts.ts';
import { bearerKey } from '../../engine/accounts/keys.ts';
import type { Tests } from '../../engine/accounts/tests.ts';
import type { Catalogue } from '../../engine/catalogue/catalogue.ts';
import type {
  AnsweringOperation,
  ChangedAnswer,
  IncomingRequest,
  OriginalAnswer,
  RequestHooks,
} from '../../engine/violations.ts';
import { modelOf } from '../../service/faults/under-faults.ts';
import { type RequestContext, requestContextOf } from '../../service/http/request.ts';
import { pathTemplate } from '../control-operation.ts';
import type { ActiveViolation, Answer, Json, Occasion, RequestDetails } from './violation.ts';
import { namesOf, type ViolationRegistry } from './violation-registry.ts';
import { insertViolationMark } from './violation-store.ts';

export interface RequestParts {
  registry: ViolationRegistry;
  accounts: Accounts;
  tests: Tests;
  catalogue: Catalogue;
  clock: Clock;
  database: Database;
  random: Random;
}

export class RequestViolations implements RequestHooks {
  readonly #parts: RequestParts;
  readonly #operation: AnsweringOperation;
  readonly #request: IncomingRequest;
  readonly #response: ServerResponse;
  readonly #requestContext: RequestContext;
  readonly #admitting: ActiveViolation[] = [];

  cutsStream = false;

  constructor(parts: RequestParts, operation: AnsweringOperation, request: IncomingRequest, response: ServerResponse) {
    this.#parts = parts;
    this.#operation = operation;
    this.#request = request;
    this.#response = response;
    this.#requestContext = requestContextOf(response);
  }

  answer({ status, contentType, text, bytes }: OriginalAnswer): ChangedAnswer | undefined {
    const headers = { ...this.#headers(), 'content-type': contentType };
    const body = text === undefined ? undefined : JSON.parse(text);
    const changed = this.#parts.registry.changeAnswer(
      { status, headers, body, ...(bytes && { bytes }) },
      this.#details(),
    );
    this.#countWhenSent(changed?.by);
    if (!changed) return undefined;
    const { sent } = changed;
    const payload = sent.bytes ? null : (sent.text ?? JSON.stringify(sent.body));
    this.#requestContext.altered = {
      violation: namesOf([...this.#admitting, ...changed.by]),
      response: { status: sent.status, headers: sent.headers, body: payload },
      original: { status, headers, body: text ?? null },
    };
    for (const name of this.#response.getHeaderNames()) this.#response.removeHeader(name);
    const { isChunked = false } = sent;
    return { status: sent.status, headers: sent.headers, payload: sent.bytes ?? payload ?? '', isChunked };
  }

  stream(events: Iterable<string>): Iterable<string> {
    const own = [...events];
    const chunks = own.filter((text) => text !== DONE).map((text) => JSON.parse(text) as Json);
    const changed = this.#parts.registry.changeStream(chunks, this.#details());
    this.#countWhenSent(changed?.by);
    if (!changed) return own;
    const sent = [...changed.sent.map((chunk) => JSON.stringify(chunk)), DONE];
    const answer = (events: readonly string[]) => ({ status: 200, headers: {}, body: events.join('\n') });
    const violation = namesOf([...this.#admitting, ...changed.by]);
    this.#requestContext.altered = { violation, response: answer(sent), original: answer(own) };
    this.cutsStream = changed.by.some(({ name }) => name === 'stream_cut');
    return this.cutsStream ? sent.map((text) => text + COMMENT) : sent;
  }

  letIn(error: unknown): Caller | undefined {
    const key = bearerKey(this.#request.headers.authorization);
    if (!key || !isCode(error, 'invalid_api_key')) return undefined;
    const { accounts, registry } = this.#parts;
    const { keys } = accounts;
    const revoked = keys.revokedCaller(key);
    const details = this.#details();
    const violation = revoked ? registry.acting('key.any', details) : registry.actingAlone('key.any', details);
    if (!violation) return undefined;
    this.#noteAdmission(violation, details);
    // A reset removes the accounts of earlier tests.
    return revoked ?? keys.newestCaller(registry.accountOf(violation)) ?? keys.newestCaller(undefined);
  }

  permits(error: unknown): boolean {
    if (!isCode(error, 'permission_denied')) return false;
    const details = this.#details();
    const violation = this.#parts.registry.acting('role.none', details);
    if (violation) this.#noteAdmission(violation, details);
    return violation !== undefined;
  }

  #noteAdmission(violation: ActiveViolation, { accountId, site }: Occasion): void {
    this.#admitting.push(violation);
    this.#requestContext.altered = { violation: violation.name };
    const { requestId: ref } = this.#requestContext;
    const mark = { accountId, violation: violation.name, ref, detail: `${site} was let in` };
    this.#parts.database.transact((tx) => insertViolationMark(tx, mark)).catch(() => undefined);
  }

  #details(): Omit<RequestDetails, 'memory'> {
    const { name: operation, method, path, paid } = this.#operation;
    const { catalogue, clock, database: db } = this.#parts;
    const { baseUrl, body } = this.#requestContext;
    const sent = parsedJson(body?.toString());
    return {
      operation,
      db,
      baseUrl,
      site: `${method} ${pathTemplate(path)}`,
      accountId: this.#accountId(),
      path: this.#request.path,
      method: this.#request.method,
      model: paid && modelOf({ catalogue, body: sent }, paid),
      query: this.#request.query,
      now: clock.now(),
    };
  }

  /** Also finds the account of a revoked key. An unknown key belongs to the only running test, if there is one. */
  #accountId(): string {
    const { caller, annotations } = this.#requestContext;
    const { accounts, tests } = this.#parts;
    if (this.#operation.accountId !== undefined) return this.#operation.accountId;
    if (caller) return caller.accountId;
    const key = bearerKey(this.#request.headers.authorization);
    const revoked = key ? accounts.keys.revokedCaller(key)?.accountId : undefined;
    return annotations.accountId ?? revoked ?? tests.only?.accountIds.at(-1) ?? '';
  }

  #headers(): Answer['headers'] {
    const { headers } = this.#requestContext;
    const named = Array.from({ length: headers.length / 2 }, (_, at) => [headers[2 * at], headers[2 * at + 1]]);
    const set = Object.entries(this.#response.getHeaders()).filter(([, value]) => value !== undefined);
    return Object.fromEntries([...set, ...named]);
  }

  /** Counts once the client has received the whole response. */
  #countWhenSent(by: readonly ActiveViolation[] = []): void {
    const all = [...this.#admitting, ...by];
    if (all.length === 0 || this.#request.method === 'HEAD') return;
    const details = this.#details();
    this.#response.once('finish', () => {
      for (const violation of all) this.#parts.registry.countAct(violation, details);
    });
  }
}

const DONE = '[DONE]';
const COMMENT = '\n\n: keep-alive';

function isCode(error: unknown, code: string): boolean {
  return error instanceof EmulatorError && error.code === code;
}
