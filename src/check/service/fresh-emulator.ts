import type { VirtualClock } from '../../base/clock/virtual-clock.ts';
import { type Config, readConfig } from '../../base/config/config.ts';
import { parsedJson } from '../../base/text.ts';
import { SERVICE } from '../../service/api/routes.ts';
import type { InProcessCall } from '../../service/http/in-process-calls.ts';
import { isShallow } from '../../service/http/json-bounds.ts';
import { priceFact } from './case-facts.ts';
import { KNOWN } from './known-words.ts';
import { Measurement } from './measure.ts';
import { BODIES, FREE, HOOK_HOST, PAID, type PlannedCase } from './plan.ts';
import type { RecordedCall } from './recorded-calls.ts';
import { NotMeasured, Sender, type Target, TOO_DEEP } from './send-request.ts';
import {
  type AnswerShape,
  type CaseShape,
  type Fact,
  hasFailed,
  isFinalState,
  type ReceivedAnswer,
  shapeOf,
} from './shapes.ts';

/** What is used of an emulator that is asked and closed. */
interface FreshEmulator {
  url: string;
  control: InProcessCall;
  close(): Promise<void>;
}

/** How a fresh emulator is started and asked. */
export interface Fresh {
  start(config: Config): Promise<FreshEmulator>;
  /** The key of its first account. */
  key: string;
  clock: VirtualClock;
  /** As the service was asked. */
  name: string;
  signal: AbortSignal;
}

/** Credits for any recording. */
const PLENTY = 1_000_000_000;
/** An answer of the emulator on this machine takes no longer, in milliseconds. */
const LONGEST_ANSWER = 120_000;

/** Starts a fresh emulator, asks it, and closes it. */
async function withEmulator<Answer>(
  { start, key, clock, signal }: Fresh,
  ask: (emulator: FreshEmulator, target: Target) => Promise<Answer>,
): Promise<Answer> {
  // A forwarded host is not resolved: nothing leaves this machine.
  const forward = [`https://${HOOK_HOST}=http://127.0.0.1:9`];
  const quiet = { log: 'silent', settleAfter: 0, warm: false } as const;
  const settled = { port: 0, host: '127.0.0.1', ephemeral: true, credits: PLENTY, forward, ...quiet };
  const emulator = await start(readConfig(settled, {}));
  try {
    const target = { url: emulator.url, key, paceMs: 0, timeoutMs: LONGEST_ANSWER, clock, signal };
    return await ask(emulator, target);
  } finally {
    await emulator.close();
  }
}

/** Asks a fresh emulator what a service was asked, by the names of the cases. */
export async function measureHere(there: readonly CaseShape[], fresh: Fresh): Promise<Map<string, CaseShape>> {
  if (there.every(({ shape }) => shape === undefined)) return new Map();
  const failed = failedJobs(there);
  const [rest = [], ...slow] = partsOf(askedFor(there));
  return withEmulator(fresh, async ({ control }, target) => {
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
    const measured = async (part: readonly string[], key: string) => {
      const only = new Set([...FIRST, ...part]);
      const order = { budget: Number.MAX_SAFE_INTEGER, name: fresh.name, only, onJob, untilFinal };
      return (await new Measurement({ ...target, key }, order).measure()).cases;
    };
    // Side by side, what renders first; each has an account of its own, as its prices are compared with its balance.
    const cases = await Promise.all([
      ...slow.map(async (part) => {
        const opened = await control('POST', '/_emulator/accounts', { body: { credits: PLENTY } });
        return measured(part, String(Object(opened).api_key));
      }),
      measured(rest, target.key),
    ]);
    return new Map(cases.flat().map((each) => [each.id, each]));
  });
}

/** What each measurement begins with. */
const FIRST = ['getAccount read', 'listModels read'];

/** What is quick, and then each group that waits for a render. */
function partsOf(chosen: ReadonlySet<string>): string[][] {
  const idsOf = (group: readonly PlannedCase[]) => group.flatMap(({ id }) => (chosen.has(id) ? [id] : []));
  const slow = PAID.filter((group) => group.some(({ media }) => media !== undefined)).map(idsOf);
  const rest = [...chosen].filter((id) => !slow.flat().includes(id));
  return [rest, ...slow.filter((ids) => ids.length > 0)];
}

/** Asks a fresh emulator what a recording has, one call after another. */
export async function replayHere(calls: readonly RecordedCall[], fresh: Fresh): Promise<ReplayedCall[]> {
  return withEmulator(fresh, async ({ control }, target) => {
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

/** The cases that were measured there, and what they need. */
function askedFor(there: readonly CaseShape[]): Set<string> {
  const chosen = new Set(FIRST);
  const measured = new Set(there.flatMap(({ id, shape }) => (shape ? [id] : [])));
  for (const each of [...FREE, ...PAID.flat()].toReversed()) {
    if (!measured.has(each.id) && !chosen.has(each.id)) continue;
    chosen.add(each.id);
    if (each.needs !== undefined) chosen.add(each.needs);
    // What is listed are all three.
    if (each.makes === 'webhook') for (const nth of ['first', 'second']) chosen.add(`createWebhook ${nth}`);
  }
  return chosen;
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
  readonly #control: InProcessCall;
  /** Ids of the emulator by those of the recording. */
  readonly #ids = new Map<string, string>();

  constructor(target: Target, control: InProcessCall) {
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
      this.#learn(jsonOf(call.answer), here.json);
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
  #require(call: RecordedCall): void {
    requireComparable(call);
    const { operation, status, path, request, requestType, answer } = call;
    const code = Object(Object(jsonOf(answer)).error).code;
    if (OF_ACCOUNTS.includes(String(code))) throw new NotMeasured(`${status}, which depends on the account`);
    if (BODIES[operation]?.form && status >= 300 && status !== 401) throw new NotMeasured('its form is not recorded');
    if (status >= 300) return;
    const unknown = idIn(path);
    if (unknown !== undefined && !this.#ids.has(unknown))
      throw new NotMeasured('what it reads was made before the recording');
    const isForm = requestType === 'multipart/form-data' || request.startsWith('--');
    if (request !== '' && !isForm && jsonOf(Buffer.from(request)) === undefined) {
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

  async #finishLike({ method, path, answer }: RecordedCall): Promise<void> {
    const own = this.#ids.get(idIn(path) ?? '');
    const { status, error } = Object(jsonOf(answer));
    if (method !== 'GET' || own === undefined || !isFinalState(String(status))) return;
    const code = String(Object(error).code);
    const isCode = /^[a-z0-9_]{1,64}$/.test(code);
    const outcome = hasFailed(String(status)) ? 'failed' : 'succeeded';
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

/** Throws `NotMeasured` for an answer that is none of the interface, and for what is not asked for at all. */
function requireComparable({ status, path, request, headers, answer }: RecordedCall): void {
  if (!path.startsWith('/v1/')) throw new NotMeasured('its path leads out of /v1/');
  if (status < 200 || status > 599) throw new NotMeasured('no answer');
  if (!isShallow(jsonOf(answer)) || !isShallow(parsedJson(request))) throw new NotMeasured(TOO_DEEP);
  if (status === 402 || status === 429 || status >= 500) throw new NotMeasured(`${status}`);
  if (status >= 300 && status < 400) throw new NotMeasured(`redirect ${status}`);
  if (headers?.['content-type']?.startsWith('text/html')) throw new NotMeasured('a page of HTML');
}

function jsonOf(bytes: Buffer | undefined): unknown {
  return bytes === undefined ? undefined : parsedJson(bytes.toString());
}

/** The id in a path, such as that of a job. */
function idIn(path: string): string | undefined {
  return /^\/v1\/(?:music\/generations|videos\/generations|storage\/objects|webhooks)\/(?!samples)([^/?]+)/.exec(
    path,
  )?.[1];
}

/** By the method and the path that the interface has: what a recording has otherwise may be somebody's. */
function inWords({ method, path, operation }: RecordedCall): string {
  const [plain = ''] = path.split('?');
  const known = SERVICE.find(({ name }) => name === operation);
  const isKnown = known !== undefined && new RegExp(`^${known.path.replace(/:\w+/g, '[^/]+')}/?$`).test(plain);
  const place = isKnown ? known.path.replaceAll(/:(\w+)/g, '{$1}') : 'another path';
  return `${METHODS.includes(method) ? method : 'another method'} ${place}`;
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** The answer says it better: browsers leave the key out of what they export. */
function isWithoutKey({ hasKey, answer }: RecordedCall): boolean {
  const { code } = Object(Object(jsonOf(answer)).error);
  return code === 'missing_api_key' || (hasKey === false && code !== 'invalid_api_key');
}

function bodyOf({ operation, status, request, requestType }: RecordedCall, own: (text: string) => string) {
  const form = BODIES[operation]?.form;
  if (form && status < 300) return { form };
  if (request === '' || requestType === 'multipart/form-data') return {};
  const json = parsedJson(own(request));
  if (typeof json !== 'object' || json === null) return {};
  const isKept = operation !== 'createWebhook' || status >= 300;
  return { json: isKept ? json : { ...json, url: `https://${HOOK_HOST}/recorded` } };
}

/** What is not recorded of an answer is taken to be as it is here. */
function shapeThere({ status, headers, answer }: RecordedCall, here: ReceivedAnswer): AnswerShape {
  const own = shapeOf(here);
  const media = headers?.['content-type'] ?? here.headers['content-type'] ?? '';
  const isJson = media.startsWith('application/json');
  const json = jsonOf(answer);
  const isKnown = answer !== undefined && (!isJson || json !== undefined);
  const bytes = answer ?? Buffer.alloc(0);
  const shape = shapeOf({
    status,
    headers: { ...headers, 'content-type': media },
    bytes,
    json: isJson ? json : undefined,
  });
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
