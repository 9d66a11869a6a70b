import type { Actor, Answer, Asked, Json } from './lie.ts';

/** What a paid answer says of money: `usage` of its JSON, or the headers of a file. */
interface Usage {
  credits_spent: number;
  credits_remaining: number;
}

const SPENT = 'svc-emulator-credits-spent';
const REMAINING = 'svc-emulator-credits-remaining';

function usageOf(body: unknown): Usage | undefined {
  const usage = isJson(body) ? body.usage : undefined;
  if (!isJson(usage) || typeof usage.credits_spent !== 'number') return undefined;
  return usage as unknown as Usage;
}

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A lie about the two figures of a paid answer, wherever they are. Undefined where they stay as they are. */
function onUsage(change: (usage: Usage, asked: Asked) => Partial<Usage> | undefined): Actor {
  const changed = (usage: Usage | undefined, asked: Asked): Usage | undefined => {
    const lied = usage && change(usage, asked);
    const told = usage && lied && { ...usage, ...lied };
    return told && JSON.stringify(told) !== JSON.stringify(usage) ? told : undefined;
  };
  return {
    answer(answer, asked) {
      const { headers, body } = answer;
      if (answer.bytes) return onHeaders(answer, changed(usageOfHeaders(headers), asked));
      const usage = changed(usageOf(body), asked);
      return usage && { ...answer, body: { ...(body as Json), usage } };
    },
    stream(chunks, asked) {
      const last = chunks.at(-1);
      const usage = changed(usageOf(last), asked);
      return usage && [...chunks.slice(0, -1), { ...last, usage }];
    },
  };
}

function usageOfHeaders(headers: Answer['headers']): Usage | undefined {
  if (headers[SPENT] === undefined) return undefined;
  return { credits_spent: Number(headers[SPENT]), credits_remaining: Number(headers[REMAINING]) };
}

function onHeaders(answer: Answer, usage: Usage | undefined): Answer | undefined {
  if (!usage) return undefined;
  const told = { [SPENT]: String(usage.credits_spent), [REMAINING]: String(usage.credits_remaining) };
  return { ...answer, headers: { ...answer.headers, ...told } };
}

/** The lies of the family money that act on answers; the others act on the ledger. */
export const MONEY: Readonly<Record<string, Actor>> = {
  'spent.zero': onUsage(() => ({ credits_spent: 0 })),
  'spent.one_more': onUsage(({ credits_spent }) => ({ credits_spent: credits_spent + 1 })),
};
