import { VirtualClock } from '../../base/clock/virtual-clock.ts';
import { readConfig } from '../../base/config/config.ts';
import { parsedJson } from '../../base/text.ts';
import type { Transport } from '../../control/call-operation.ts';
import { KNOWN, servedPath } from '../../control/openapi/known-words.ts';
import { WELL_KNOWN_KEY } from '../../engine/accounts/seed.ts';
import { priceFact } from './case-facts.ts';
import { Measurement } from './measure.ts';
import { BODIES, HOOK_HOST, PAID } from './plan.ts';
import type { RecordedCall } from './recorded-calls.ts';
import {
  NotMeasured,
  requireComparable,
  requireInService,
  requireShallow,
  Sender,
  type Target,
} from './send-request.ts';
import {
  type AnswerShape,
  type CaseShape,
  type Fact,
  hasFailed,
  isFinalState,
  type ReceivedAnswer,
  shapeOf,
} from './shapes.ts';

/** Credits for any recording. */
const PLENTY = 1_000_000_000;
/** An answer of the emulator on this machine takes no longer, in milliseconds. */
const LONGEST_ANSWER = 120_000;

/** Starts a fresh emulator, asks it, and closes it. */
async function withEmulator<Answer>(
  signal: AbortSignal,
  ask: (control: Transport, target: Target) => Promise<Answer>,
): Promise<Answer> {
  // Loaded when it is asked: a plan needs none.
  const { startEmulator } = await import('../../emulator.ts');
  // A forwarded host is not resolved: nothing leaves this machine.
  const forward = [`https://${HOOK_HOST}=http://127.0.0.1:9`];
  const quiet = { log: 'silent', settleAfter: 0, warm: false } as const;
  const settled = { port: 0, host: '127.0.0.1', ephemeral: true, credits: PLENTY, forward, ...quiet };
  const emulator = await startEmulator(readConfig(settled, {}));
  const { url, control } = emulator;
  const untimed = { paceMs: 0, timeoutMs: LONGEST_ANSWER, clock: new VirtualClock() };
  try {
    return await ask(control, { url, key: WELL_KNOWN_KEY, ...untimed, signal });
  } finally {
    await emulator.close();
  }
}

/** Asks a fresh emulator what a service was asked, by the names of the cases; `name` is what drift names its own. */
export async function measureHere(
  there: readonly CaseShape[],
  { name, signal }: { name: string; signal: AbortSignal },
): Promise<Map<string, CaseShape>> {
  const asked = there.filter(({ shape }) => shape !== undefined);
  if (asked.length === 0) return new Map();
  const failed = failedJobs(asked);
  const slow = PAID.filter((group) => group.some(({ media }) => media !== undefined)).map(idsOf);
  const parts = slow.map((group) => idsOf(asked).filter((id) => group.includes(id)));
  const rest = idsOf(asked).filter((id) => !slow.flat().includes(id));
  return withEmulator(signal, async (control, target) => {
    const onJob = async (orderedBy: string, jobId: string) => {
      const code = failed.get(orderedBy);
      if (code === undefined) return;
      await control('POST', `/_emulator/jobs/${jobId}/finish`, { body: { outcome: 'failed', code } });
    };
    const untilFinal = (jobId: string) => {
      const final = control('GET', '/_emulator/wait', { query: { for: `job:${jobId}`, timeout: 5 } });
      // One that is not final by then is read, and waited for again.
      return final.catch(() => undefined);
    };
    const measured = async (only: readonly string[], key: string) => {
      const order = { budget: Number.MAX_SAFE_INTEGER, name, only, onJob, untilFinal };
      return (await new Measurement({ ...target, key }, order).measure()).cases;
    };
    // Side by side, what renders first; each has an account of its own, as its prices are compared with its balance.
    const rendered = parts
      .filter((part) => part.length > 0)
      .map(async (part) => {
        const opened = await control('POST', '/_emulator/accounts', { body: { credits: PLENTY } });
        return measured(part, String(Object(opened).api_key));
      });
    const cases = await Promise.all([...rendered, measured(rest, target.key)]);
    return new Map(cases.flat().map((each) => [each.id, each]));
  });
}

function idsOf(cases: readonly { id: string }[]): string[] {
  return cases.map(({ id }) => id);
}

/** Orders whose job has failed there, with the code of its error: the emulator's is to fail as well. */
function failedJobs(there: readonly CaseShape[]): Map<string, string> {
  const failed = there.filter(({ shape }) => shape?.fields.status?.words?.includes('failed'));
  return new Map(
    failed.map(({ operation, shape }) => {
      const [word = 'render_failed'] = shape?.fields['error.code']?.words ?? [];
      // What it is called there is not on record: here it is no word of the contract either.
      const code = KNOWN.words.has(word) ? word : 'other_failure';
      return [`${operation.replace('get', 'create')} orders`, code];
    }),
  );
}

/** Asks a fresh emulator what a recording has, one call after another. */
export async function replayHere(calls: readonly RecordedCall[], signal: AbortSignal): Promise<ReplayedCall[]> {
  return withEmulator(signal, async (control, target) => {
    // A job stays open until it is ended as the recorded one was.
    await control('PUT', '/_emulator/progression', { body: { mode: 'polls', value: 1_000_000 } });
    // No endpoint of the recording hears of what is done again.
    await control('POST', '/_emulator/faults', { body: { match: {}, times: 0, effect: { webhook: 'drop' } } });
    const replay = new Replay(target, control);
    const replayed: ReplayedCall[] = [];
    for (const call of calls) replayed.push(await replay.call(call));
    return replayed;
  });
}

/** A recorded call and what the emulator answers to it. */
interface ReplayedCall {
  there: CaseShape;
  here: CaseShape;
}

/** Refusals that depend on an account, or on what was written. */
const OF_ACCOUNTS = ['plan_cap_exceeded', 'endpoint_limit_reached', 'content_blocked', 'permission_denied'];

/** Asks a fresh emulator what was asked in a recording, one call after another. */
class Replay {
  readonly #sender: Sender;
  readonly #control: Transport;
  /** Ids of the emulator by those of the recording. */
  readonly #ids = new Map<string, string>();

  constructor(target: Target, control: Transport) {
    this.#sender = new Sender(target);
    this.#control = control;
  }

  async call(call: RecordedCall): Promise<ReplayedCall> {
    const { operation, entry } = call;
    const about = {
      id: `${operation} ${entry} recorded`,
      operation,
      case: `entry ${entry}: ${inWords(call)}`,
    };
    try {
      this.#require(call);
      const here = await this.#asked(call);
      this.#learn(call.json, here.json);
      return {
        there: { ...about, shape: shapeThere(call, here) },
        here: { ...about, shape: { ...shapeOf(here), facts: priceFacts(here.json) } },
      };
    } catch (error) {
      if (!(error instanceof NotMeasured)) throw error;
      return { there: { ...about, not_measured: error.message }, here: about };
    }
  }

  /** Throws `NotMeasured` for what says nothing of the interface, or cannot be asked again. */
  #require({ operation, status, path, headers, sent, request, requestType, json }: RecordedCall): void {
    if (!path.startsWith('/v1/')) throw new NotMeasured('its path leads out of /v1/');
    if (status < 200 || status > 599) throw new NotMeasured('no answer');
    requireComparable(status, headers?.['content-type']);
    requireShallow(json, sent);
    requireInService(status);
    if (OF_ACCOUNTS.includes(codeIn(json))) throw new NotMeasured(`${status}, which depends on the account`);
    if (BODIES[operation]?.form && status >= 300 && status !== 401) throw new NotMeasured('its form is not recorded');
    if (status >= 300) return;
    const id = servedPath(path)?.id;
    if (id !== undefined && !this.#ids.has(id)) throw new NotMeasured('what it reads was made before the recording');
    const isForm = requestType === FORM || request.startsWith('--');
    if (request !== '' && !isForm && sent === undefined) {
      throw new NotMeasured('its request is not recorded as a whole');
    }
  }

  async #asked(call: RecordedCall): Promise<ReceivedAnswer> {
    const { method, status } = call;
    const path = this.#own(call.path);
    await this.#finishLike(call);
    const body = bodyOf(call, (text) => this.#own(text));
    const key = status === 401 ? (isWithoutKey(call) ? 'none' : 'wrong') : undefined;
    return this.#sender.send({ method, path, ...(key && { key }), ...body }, {});
  }

  async #finishLike({ method, path, json }: RecordedCall): Promise<void> {
    const own = this.#ids.get(servedPath(path)?.id ?? '');
    const status = String(Object(json).status);
    if (method !== 'GET' || own === undefined || !isFinalState(status)) return;
    const code = codeIn(json);
    const isCode = /^[a-z0-9_]{1,64}$/.test(code);
    const outcome = hasFailed(status) ? 'failed' : 'succeeded';
    const body = { outcome, ...(outcome === 'failed' && isCode && { code }) };
    // A second read of a final job changes nothing.
    await this.#control('POST', `/_emulator/jobs/${own}/finish`, { body }).catch(() => undefined);
  }

  /** A text with the emulator's ids in place of the recording's. */
  #own(text: string): string {
    return text.replaceAll(/\b[a-z]{2,12}_[0-9A-Za-z]{6,}/g, (id) => this.#ids.get(id) ?? id);
  }

  /** Ids at the same position of both answers are those of the same thing. */
  #learn(there: unknown, here: unknown): void {
    if (typeof there !== 'object' || typeof here !== 'object' || there === null || here === null) return;
    for (const [name, theirs] of Object.entries(there)) {
      const ours: unknown = Object(here)[name];
      if (typeof theirs === 'object') this.#learn(theirs, ours);
      else if (/^id$|_id$/.test(name) && typeof theirs === 'string' && typeof ours === 'string')
        this.#ids.set(theirs, ours);
    }
  }
}

const FORM = 'multipart/form-data';

function codeIn(json: unknown): string {
  return String(Object(Object(json).error).code);
}

/** By the method and the path that the interface has: what a recording has otherwise may be somebody's. */
function inWords({ method, path }: RecordedCall): string {
  const place = servedPath(path)?.path.replace(':id', '{id}') ?? 'another path';
  return `${METHODS.includes(method) ? method : 'another method'} ${place}`;
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** The answer says it better: browsers leave the key out of what they export. */
function isWithoutKey({ hasKey, json }: RecordedCall): boolean {
  const code = codeIn(json);
  return code === 'missing_api_key' || (hasKey === false && code !== 'invalid_api_key');
}

function bodyOf({ operation, status, request, requestType }: RecordedCall, own: (text: string) => string) {
  const form = BODIES[operation]?.form;
  if (form && status < 300) return { form };
  if (requestType === FORM) return {};
  const json = parsedJson(own(request));
  if (typeof json !== 'object' || json === null) return {};
  const isKept = operation !== 'createWebhook' || status >= 300;
  return { json: isKept ? json : { ...json, url: `https://${HOOK_HOST}/recorded` } };
}

/** What is not recorded of an answer is taken to be as it is here. */
function shapeThere({ status, headers, answer, json }: RecordedCall, here: ReceivedAnswer): AnswerShape {
  const own = shapeOf(here);
  const media = headers?.['content-type'] ?? here.headers['content-type'] ?? '';
  const isJson = media.startsWith('application/json');
  const given = { ...headers, 'content-type': media };
  const shape = shapeOf({ status, headers: given, bytes: answer ?? Buffer.alloc(0), json: isJson ? json : undefined });
  const isKnown = isJson ? json !== undefined : answer !== undefined;
  return {
    ...shape,
    headers: headers === undefined ? own.headers : shape.headers,
    fields: isKnown ? shape.fields : own.fields,
    facts: priceFacts(json),
  };
}

function priceFacts(json: unknown): Fact[] {
  return priceFact(Object(Object(json).usage).credits_spent);
}
