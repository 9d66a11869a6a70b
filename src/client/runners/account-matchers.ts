import type { AccountClient } from '../emulator-client.ts';
import { complaint, isAsWanted, requireSpend, totalSpend, type WantedSpend } from '../spend.ts';

/** What the matchers say of an account, for every runner that has `expect`. */
export interface AccountMatchers<R> {
  /** What the account has spent since it was opened: credits net of refunds, and how many refunds. */
  toHaveSpent(wanted: WantedSpend): Promise<R>;
  /** An endpoint has answered 2xx to an event of that type. */
  toHaveDelivered(type: string): Promise<R>;
  /** A render of the account has failed, with that code where one is given. */
  toHaveFailed(code?: string): Promise<R>;
}

/** As every runner's `expect` takes it. */
export interface Judgement {
  pass: boolean;
  message(): string;
}

/** What a runner gives a matcher as `this`. */
export interface MatcherContext {
  isNot?: boolean;
}

/** For `expect.extend`. Each throws a `TypeError` for what is no account or no such argument. */
export const accountMatchers = {
  toHaveSpent(this: MatcherContext, given: unknown, wanted: WantedSpend): Promise<Judgement> {
    return judge(this, given, 'toHaveSpent', async (account) => {
      requireSpend(wanted, 'toHaveSpent');
      const spend = await totalSpend(account);
      return { pass: isAsWanted(spend, wanted), message: () => complaint(spend, wanted) };
    });
  },
  toHaveDelivered(this: MatcherContext, given: unknown, type: string): Promise<Judgement> {
    return judge(this, given, 'toHaveDelivered', async (account) => {
      requireText(type, 'toHaveDelivered', 'an event type, such as music.generation.succeeded');
      const deliveries = await account.deliveries();
      const lines = deliveries.map((each) => `  ${each.type} to ${each.url}: ${each.error ?? each.status}`);
      return {
        pass: deliveries.some((each) => each.type === type && each.status === 'delivered'),
        message: () => failureText(`a delivered ${type}`, lines, 'nothing was sent'),
      };
    });
  },
  toHaveFailed(this: MatcherContext, given: unknown, code?: string): Promise<Judgement> {
    return judge(this, given, 'toHaveFailed', async (account) => {
      if (code !== undefined) requireText(code, 'toHaveFailed', 'an error code, such as render_failed, or nothing');
      const jobs = await account.jobs();
      const lines = jobs.map((job) => `  ${job.id} ${job.status} ${job.error?.code ?? ''}`);
      return {
        pass: jobs.some(({ error }) => error && (code === undefined || error.code === code)),
        message: () => failureText(`a render that failed${code ? ` with ${code}` : ''}`, lines, 'no render'),
      };
    });
  },
};

/** Judges an account, and notes that it is judged: the fixtures wait for it. */
async function judge(
  { isNot = false }: MatcherContext,
  given: unknown,
  matcher: string,
  look: (account: AccountClient) => Promise<Judgement>,
): Promise<Judgement> {
  const account = requireAccount(given, matcher);
  const failureOf = ({ pass, message }: Judgement) => (pass === isNot ? message() : undefined);
  return account.assertions.note(matcher, look(account), failureOf);
}

function failureText(wanted: string, lines: string[], none: string): string {
  return [`Looked for ${wanted}, and found:`, ...(lines.length === 0 ? [`  ${none}`] : lines)].join('\n');
}

function requireAccount(given: unknown, matcher: string): AccountClient {
  if (isAccount(given)) return given;
  throw new TypeError(
    `${matcher} is for an account, as in expect(account).${matcher}(…); got ${typeof given}. Take it from the fixtures, or from emulator.account().`,
  );
}

/** By what it can do: a suite may have loaded two builds of the client, and their classes are not the same. */
function isAccount(given: unknown): given is AccountClient {
  const able: Partial<AccountClient> = typeof given === 'object' && given !== null ? given : {};
  return typeof able.ledger === 'function' && typeof able.deliveries === 'function';
}

function requireText(given: unknown, matcher: string, expected: string): void {
  if (typeof given === 'string' && given !== '') return;
  throw new TypeError(`${matcher} expects ${expected}; got ${JSON.stringify(given)}.`);
}
