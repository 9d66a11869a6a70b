import type { ServerResponse } from 'node:http';
import type { Clock } from '../../base/clock/clock.ts';
import type { Database } from '../../base/database/database.ts';
import { EmulatorError } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';
import type { Caller } from '../../engine/accounts/account-store.ts';
import type { Accounts } from '../../engine/accounts/accounts.ts';
import { bearerKey } from '../../engine/accounts/keys.ts';
import type { Catalogue } from '../../engine/catalogue/catalogue.ts';
import type { AlteredAnswer } from '../../engine/journal/request-schemas.ts';
import { modelOf } from '../../service/faults/fault-target.ts';
import type {
  AnswerChange,
  AnsweredRequest,
  Answering,
  Answers,
  Leaving,
  OtherReply,
} from '../../service/http/answers.ts';
import { type RequestContext, requestContextOf } from '../../service/http/request.ts';
import type { Units } from '../units.ts';
import type { ActiveViolation, Answer, Json, RequestDetails } from './violation.ts';
import { insertViolationMark } from './violation-store.ts';
import type { Violations } from './violations.ts';

export interface ViolatingParts {
  violations: Violations;
  accounts: Accounts;
  units: Units;
  catalogue: Catalogue;
  clock: Clock;
  database: Database;
  random: Random;
}

/** Answers that violations change. Where the service is to be dead, every answer is a status without a body. */
export function violatingAnswers(parts: ViolatingParts, answers: Answers): Answers {
  const begin: Answers['begin'] = (request, response, by) => {
    const { isDead } = parts.violations;
    if (isDead) response.writeHead(500, { 'content-length': '0' }).end();
    else requestContextOf(response).change = new ViolatingAnswer(parts, by, request, response);
    return !isDead;
  };
  return parts.violations.switched(answers, { isOn: true, begin });
}

/** One request while violations are armed or watched for: how its answer is changed. */
class ViolatingAnswer implements AnswerChange {
  readonly #context: ViolatingParts;
  readonly #operation: Answering;
  readonly #request: AnsweredRequest;
  readonly #response: ServerResponse;
  readonly #requestContext: RequestContext;
  /** Other violations that acted on the work of this request: counted when its answer has left. */
  readonly #acted: ActiveViolation[] = [];

  cutsStream = false;

  constructor(parts: ViolatingParts, operation: Answering, request: AnsweredRequest, response: ServerResponse) {
    this.#context = parts;
    this.#operation = operation;
    this.#request = request;
    this.#response = response;
    this.#requestContext = requestContextOf(response);
  }

  /** Answers what is sent in place of a true answer, and records both; undefined where it stays. */
  answered(leaving: Leaving): OtherReply | undefined {
    const { violations } = this.#context;
    const original = this.#answerOf(leaving);
    const found = violations.answered(original, this.facts());
    this.#whenSent([...this.#acted, ...(found?.by ?? [])]);
    if (!found) return undefined;
    const { status, headers, body, text, bytes, isChunked = false } = found.sent;
    const sent = bytes ? null : (text ?? JSON.stringify(body));
    const whole = { ...original, body: leaving.text ?? null };
    this.#record(found.by, { response: { status, headers, body: sent }, original: whole });
    for (const name of this.#response.getHeaderNames()) this.#response.removeHeader(name);
    return { status, headers, payload: bytes ?? sent ?? '', isChunked };
  }

  /** The same for the events of a stream, each a JSON text. */
  streamed(events: Iterable<string>): Iterable<string> {
    const { violations } = this.#context;
    const own = [...events];
    const chunks = own.filter((text) => text !== DONE).map((text) => JSON.parse(text) as Json);
    const found = violations.streamed(chunks, this.facts());
    this.#whenSent([...this.#acted, ...(found?.by ?? [])]);
    if (!found) return own;
    const sent = [...found.sent.map((chunk) => JSON.stringify(chunk)), DONE];
    const answer = (events: readonly string[]) => ({ status: 200, headers: {}, body: events.join('\n') });
    this.#record(found.by, { response: answer(sent), original: answer(own) });
    this.cutsStream = found.by.some(({ violation }) => violation === 'stream_cut');
    return this.cutsStream ? sent.map((text) => text + COMMENT) : sent;
  }

  letIn(error: unknown): Caller | undefined {
    const key = bearerKey(this.#request.headers.authorization);
    if (!key || !isCode(error, 'invalid_api_key')) return undefined;
    const { accounts, violations } = this.#context;
    const revoked = accounts.keys.revokedCaller(key);
    const facts = this.facts();
    const violation = revoked ? violations.acting('key.any', facts) : violations.actingAlone('key.any', facts);
    if (!violation) return undefined;
    this.#note(violation);
    // A reset has ended the accounts of the test before.
    const { keys } = accounts;
    return revoked ?? keys.newestCaller(violations.accountOf(violation)) ?? keys.newestCaller(undefined);
  }

  permits(error: unknown): boolean {
    const violation = isCode(error, 'permission_denied')
      ? this.#context.violations.acting('role.none', this.facts())
      : undefined;
    if (violation) this.#note(violation);
    return violation !== undefined;
  }

  /** A violation that acted on the work itself counts with its answer; what is done then is not as it has to be. */
  #note(violation: ActiveViolation): void {
    this.#acted.push(violation);
    this.#requestContext.altered = { violation: violation.violation };
    const { site, accountId } = this.facts();
    const violated = {
      accountId,
      violation: violation.violation,
      ref: this.#requestContext.requestId,
      detail: `${site} was let in`,
    };
    this.#context.database.transact((tx) => insertViolationMark(tx, violated)).catch(() => undefined);
  }

  facts(): Omit<RequestDetails, 'memory'> {
    const { name: operation, method, path, paid } = this.#operation;
    const { catalogue, clock, database: db, random } = this.#context;
    const { baseUrl, requestId, facts, body } = this.#requestContext;
    const sent = body && body.length > 0 ? parsed(body) : undefined;
    return {
      operation,
      db,
      random,
      baseUrl,
      requestId,
      site: `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`,
      accountId: this.#accountId(),
      path: this.#request.path,
      method: this.#request.method,
      model: paid && modelOf({ catalogue, body: sent }, paid),
      body: sent,
      query: this.#request.query,
      now: clock.now(),
      spent: (facts.charges ?? []).reduce((sum, { amount }) => sum - amount, 0),
    };
  }

  /** That of a revoked key, too; of an unknown one that of the one test that runs, as far as that is known. */
  #accountId(): string {
    const { caller, facts } = this.#requestContext;
    const { accounts, units } = this.#context;
    if (this.#operation.accountId !== undefined) return this.#operation.accountId;
    if (caller) return caller.accountId;
    const key = bearerKey(this.#request.headers.authorization);
    const revoked = key ? accounts.keys.revokedCaller(key)?.accountId : undefined;
    return facts.accountId ?? revoked ?? units.only?.accountIds.at(-1) ?? '';
  }

  #answerOf({ status, contentType, text, bytes }: Leaving): Answer {
    const { headers } = this.#requestContext;
    const named = Array.from({ length: headers.length / 2 }, (_, at) => [headers[2 * at], headers[2 * at + 1]]);
    const set = Object.entries(this.#response.getHeaders()).filter(([, value]) => value !== undefined);
    return {
      status,
      headers: { ...Object.fromEntries([...set, ...named]), 'content-type': contentType },
      body: text === undefined ? undefined : JSON.parse(text),
      ...(bytes ? { bytes } : {}),
    };
  }

  #record(by: readonly ActiveViolation[], answers: Pick<AlteredAnswer, 'response' | 'original'>): void {
    const violation = [...this.#acted, ...by].map(({ violation: name }) => name).join(', ');
    this.#requestContext.altered = { violation, ...answers };
  }

  /** A violation counts once the client took the answer whole. */
  #whenSent(by: readonly ActiveViolation[]): void {
    if (by.length === 0 || this.#request.method === 'HEAD') return;
    const facts = this.facts();
    this.#response.once('finish', () => {
      for (const violation of by) this.#context.violations.countAct(violation, facts);
    });
  }
}

const DONE = '[DONE]';
/** A comment between two events, which every client skips. */
const COMMENT = '\n\n: keep-alive';

function isCode(error: unknown, code: string): boolean {
  return error instanceof EmulatorError && error.code === code;
}

/** Undefined for what is no JSON, such as a form. */
function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
