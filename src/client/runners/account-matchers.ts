import type { AccountClient } from '../emulator-client.ts';
import {
  type ExpectedSpend,
  matchesExpectedSpend,
  requireValidExpectedSpend,
  spendMismatchMessage,
  totalSpend,
} from '../spend.ts';

export interface AccountMatchers<R> {
  /** Compares what the account has spent since it was created. `credits` are net of refunds. */
  toHaveSpent(wanted: ExpectedSpend): Promise<R>;
  toHaveDelivered(type: string): Promise<R>;
  toHaveFailed(code?: string): Promise<R>;
}

export interface MatcherResult {
  pass: boolean;
  message(): string;
}

export interface MatcherContext {
  isNot?: boolean;
}

/** For `expect.extend`. Each rejects with `TypeError` for an invalid account or argument. */
export const accountMatchers = {
  toHaveSpent(this: MatcherContext, given: unknown, wanted: ExpectedSpend): Promise<MatcherResult> {
    return judge(this, given, 'toHaveSpent', async (account) => {
      requireValidExpectedSpend(wanted, 'toHaveSpent');
      const spend = await totalSpend(account);
      return { pass: matchesExpectedSpend(spend, wanted), message: () => spendMismatchMessage(spend, wanted) };
    });
  },
  toHaveDelivered(this: MatcherContext, given: unknown, type: string): Promise<MatcherResult> {
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
  toHaveFailed(this: MatcherContext, given: unknown, code?: string): Promise<MatcherResult> {
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

async function judge(
  { isNot = false }: MatcherContext,
  given: unknown,
  matcher: string,
  look: (account: AccountClient) => Promise<MatcherResult>,
): Promise<MatcherResult> {
  const account = requireAccount(given, matcher);
  const failureOf = ({ pass, message }: MatcherResult) => (pass === isNot ? message() : undefined);
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

/** Checks the methods and not the class, because a suite may load two builds of the client. */
function isAccount(given: unknown): given is AccountClient {
  const able: Partial<AccountClient> = typeof given === 'object' && given !== null ? given : {};
  return typeof able.ledger === 'function' && typeof able.deliveries === 'function';
}

function requireText(given: unknown, matcher: string, expected: string): void {
  if (typeof given === 'string' && given !== '') return;
  throw new TypeError(`${matcher} expects ${expected}; got ${JSON.stringify(given)}.`);
}
