import { otherBalance } from '../../engine/ledger/entry-store.ts';
import {
  type Actor,
  type Answer,
  actOnBody,
  isJson,
  type Json,
  type RequestDetails,
  withoutFields,
} from './violation.ts';

/** `usage` of the JSON, or the headers of a file. */
interface CreditUsage {
  credits_spent: number;
  credits_remaining: number;
}

const SPENT = 'svc-emulator-credits-spent';
const REMAINING = 'svc-emulator-credits-remaining';

function usageOf(body: unknown): CreditUsage | undefined {
  const usage = isJson(body) ? body.usage : undefined;
  if (!isJson(usage) || typeof usage.credits_spent !== 'number') return undefined;
  return { ...usage, credits_spent: usage.credits_spent, credits_remaining: Number(usage.credits_remaining) };
}

/** Undefined if both figures stay unchanged. */
function onUsage(change: (usage: CreditUsage, request: RequestDetails) => Partial<CreditUsage> | undefined): Actor {
  const changed = (usage: CreditUsage | undefined, request: RequestDetails): CreditUsage | undefined => {
    const violated = usage && change(usage, request);
    const next = usage && violated && { ...usage, ...violated };
    return next && JSON.stringify(next) !== JSON.stringify(usage) ? next : undefined;
  };
  return {
    answer(answer, request) {
      const { headers, body } = answer;
      if (answer.bytes) return onHeaders(answer, changed(usageOfHeaders(headers), request));
      const usage = changed(usageOf(body), request);
      return usage && { ...answer, body: { ...(body as Json), usage } };
    },
    stream(chunks, request) {
      const last = chunks.at(-1);
      const usage = changed(usageOf(last), request);
      return usage && [...chunks.slice(0, -1), { ...last, usage }];
    },
  };
}

function usageOfHeaders(headers: Answer['headers']): CreditUsage | undefined {
  if (headers[SPENT] === undefined) return undefined;
  return { credits_spent: Number(headers[SPENT]), credits_remaining: Number(headers[REMAINING]) };
}

function onHeaders(answer: Answer, usage: CreditUsage | undefined): Answer | undefined {
  if (!usage) return undefined;
  const next = { [SPENT]: String(usage.credits_spent), [REMAINING]: String(usage.credits_remaining) };
  return { ...answer, headers: { ...answer.headers, ...next } };
}

function on402(next: Pick<Answer, 'status' | 'body'>, headers: Answer['headers'] = {}): Actor {
  return {
    answer: (answer) =>
      answer.status === 402 ? { ...answer, ...next, headers: { ...answer.headers, ...headers } } : undefined,
  };
}

const RATE_LIMITED = {
  error: {
    code: 'rate_limited',
    message: 'This key has used up its requests of this minute; try again after it.',
    type: 'rate_limit_error',
    param: null,
  },
};

const WELCOME = 50;

/** Violations of the ledger are in `charge-violations.ts`. */
export const MONEY: Readonly<Record<string, Actor>> = {
  'spent.zero': onUsage(() => ({ credits_spent: 0 })),
  'spent.one_more': onUsage(({ credits_spent }) => ({ credits_spent: credits_spent + 1 })),
  'remaining.stale': onUsage(({ credits_spent, credits_remaining }) => ({
    credits_remaining: credits_remaining + credits_spent,
  })),
  'remaining.other': onUsage(({ credits_remaining }, { db, accountId }) => ({
    credits_remaining: otherBalance(db, accountId, credits_remaining) ?? WELCOME,
  })),
  'usage.missing': actOnBody((body) => (usageOf(body) ? withoutFields(body, ['usage']) : undefined)),
  'usage.text': onText(),
  '402.as_200': on402({ status: 200, body: {} }, { 'content-type': 'application/json' }),
  '402.as_429': on402({ status: 429, body: RATE_LIMITED }, { 'retry-after': '1' }),
};

function onText(): Actor {
  const text = (body: Json): Json | undefined => {
    const usage = usageOf(body);
    return usage && { ...body, usage: { ...usage, ...mapValues(usage, String) } };
  };
  return {
    ...actOnBody(text),
    stream(chunks) {
      const last = chunks.at(-1);
      const next = last && text(last);
      return next && [...chunks.slice(0, -1), next];
    },
  };
}

function mapValues(value: object, change: (each: unknown) => unknown): Json {
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, change(each)]));
}
