import type { Reader } from '../../base/database/transaction.ts';
import type { FaultRule, RuleMatch } from '../../engine/faults/fault-rule.ts';

export interface Occasion {
  /**
   * `POST /v1/music/generations`, `GET /v1/music/generations/{id}`, `event music.generation.failed`, `file audio/mpeg`,
   * `GET /cdn` for errors of the CDN, and `ledger createSong` for a charge or refund.
   */
  site: string;
  accountId: string;
  path: string;
  method?: string | undefined;
  model?: string | null | undefined;
  take?: number | null | undefined;
  event?: string | undefined;
  contentType?: string | undefined;
}

export type Json = Record<string, unknown>;

export interface Answer {
  status: number;
  headers: Readonly<Record<string, string | number | readonly string[]>>;
  /** Undefined if `bytes` are sent. */
  body: unknown;
  text?: string;
  bytes?: Buffer;
  /** Sent without a Content-Length. */
  isChunked?: boolean;
}

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function withoutFields(value: Json, names: readonly string[]): Json {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
}

/** Acts on JSON responses with one of these statuses; by default 2xx. */
export function actOnBody(change: (body: Json, request: RequestDetails, answer: Answer) => Json | undefined): Actor {
  return {
    answer(answer, request) {
      if (answer.status >= 300 || !isJson(answer.body)) return undefined;
      const body = change(answer.body, request, answer);
      return body && { ...answer, body };
    },
  };
}

/** Must not be changed. */
export interface RequestDetails extends Occasion {
  /** Undefined for a read of the CDN. */
  operation: string | undefined;
  query: Readonly<Record<string, unknown>>;
  baseUrl: string;
  now: number;
  db: Reader;
  /** Kept between responses of one account, until the violation ends. */
  memory: Map<string, number>;
}

export interface EventEnvelope {
  id: string;
  type: string;
  created: number;
  data: Json;
}

export interface EventDetails extends Occasion {
  jobId: string | null;
  wants(type: string): boolean;
  requestId: string | null;
  db: Reader;
}

/**
 * Each function is pure, and returns the changed value, or undefined if it cannot act. A baseline run uses the same
 * functions to find the sites of a violation.
 */
export interface Actor {
  answer?(answer: Answer, request: RequestDetails): Answer | undefined;
  /** Without `[DONE]`. */
  stream?(chunks: readonly Json[], request: RequestDetails): readonly Json[] | undefined;
  event?(envelope: EventEnvelope, details: EventDetails): EventEnvelope | 'none' | undefined;
}

export type Actors = ReadonlyMap<string, Actor>;

export function actOnError(change: (answer: Answer, error: Json) => Answer | undefined): Actor {
  return {
    answer(answer) {
      const error = answer.status >= 400 && isJson(answer.body) ? answer.body.error : undefined;
      return isJson(error) ? change(answer, error) : undefined;
    },
  };
}

/** Acts until the next call of `arm`. */
export interface ArmedViolation {
  /** Used by `acted`. */
  id: string;
  violation: string;
  /** As in `reached`. Without it, all sites. */
  site?: string;
  /** One account, or all accounts of a test. Without both, all accounts. */
  account_id?: string;
  test?: string;
}

export interface ActiveViolation {
  readonly id: string;
  readonly name: string;
  readonly site: string | undefined;
  readonly accountId: string | undefined;
  readonly test: string | undefined;
  readonly match: RuleMatch;
  readonly rule: FaultRule | undefined;
  left: number;
  /** By account, for `match.nth`. */
  readonly seen: Map<string, number>;
  readonly memory: Map<string, number>;
}

type Given = Pick<ActiveViolation, 'id' | 'name' | 'site' | 'accountId' | 'test' | 'match'>;

export function activeViolation(given: Given, rule?: FaultRule): ActiveViolation {
  const left = !rule || rule.times === 0 ? Number.POSITIVE_INFINITY : rule.times - rule.applied;
  return { ...given, rule, left, seen: new Map(), memory: new Map() };
}

export function violationOfRule(rule: FaultRule): ActiveViolation {
  const { id, effect, match } = rule;
  const { violation: name = effect.compatible_change ?? '' } = effect;
  return activeViolation({ id, name, site: undefined, accountId: match.account_id, test: undefined, match }, rule);
}

export function matchesOccasion({ site, match }: ActiveViolation, occasion: Occasion): boolean {
  if (site !== undefined) return site === occasion.site;
  const { path, method, model, take, event, content_type: type } = match;
  if (path !== undefined && !occasion.path.startsWith(path)) return false;
  if (method !== undefined && method !== occasion.method) return false;
  if (model !== undefined && model !== occasion.model) return false;
  if (take !== undefined && take !== occasion.take) return false;
  if (event !== undefined && event !== occasion.event) return false;
  return type === undefined || (occasion.contentType ?? '').startsWith(type);
}
