import { expect, it } from 'vitest';
import { expectError } from './wire.ts';
import { type AccountSettings, type Answer, TestAccount, type World } from './world.ts';

/** One request of one account and all its effects. Effects that a scenario does not name must not happen. */
export interface Scenario {
  /** The settings of a new account that sends the request, or an existing account. */
  as?: AccountSettings | TestAccount;
  /** Method and path, as in `POST /images/generations`: of the service, unless it begins with `/_emulator`. */
  send: string;
  /** The body, or a function that makes it for the account. */
  body?: unknown;
  headers?: Record<string, string>;
  /** The expected status. The default is 200, or 400 if there is an `error`. */
  status?: number;
  /** A part of the expected response body. */
  answer?: object;
  /** Expected response headers; null for a header that must be absent. */
  shows?: Record<string, string | null>;
  /** The expected error. The default code is `invalid_request`, and `says` is a part of the message. */
  error?: { code?: string; field?: string | null; says?: string | RegExp };
  /** The expected new ledger entries, such as `charge -3`; none by default. */
  ledger?: readonly string[];
  /** The types of the expected new events; none by default. */
  events?: readonly string[];
}

/** The response, and the account that received it. */
export interface Outcome extends Answer {
  account: TestAccount;
}

/** Defines a test for each row, named by its title. `all` contains the fields that the rows share. */
export function scenarios(here: World, all: Partial<Scenario>, rows: Record<string, Partial<Scenario>>): void {
  for (const [title, row] of Object.entries(rows)) {
    it(title, () => expectScenario(here, { send: '', ...all, ...row }));
  }
}

export async function expectScenario(here: World, row: Scenario): Promise<void> {
  await playScenario(here, row);
}

/** Plays a scenario, waits until its job is final, and compares all effects with the scenario. */
export async function playScenario(here: World, row: Scenario): Promise<Outcome> {
  const { as = {}, send, headers, error, ledger = [], events = [] } = row;
  const account = as instanceof TestAccount ? as : await here.account(as);
  const before = await (as instanceof TestAccount ? recordOf(account) : { ledger: opening(as), events: [], jobs: 0 });
  const [method = '', path = ''] = send.split(' ');
  const body = typeof row.body === 'function' ? await row.body(account) : row.body;
  const target = path.startsWith('/_emulator') ? path : `/v1${path}`;
  const answer = await here.call(method, target, body, { ...account.headers, ...headers });
  expectAnswer(answer, row, error ? 400 : 200);
  // Afterwards the ordered job is final, and its event exists.
  if (answer.status === 202) await account.idle();
  const after = await recordOf(account);
  expect(after.ledger, 'every ledger entry').toEqual([...before.ledger, ...ledger]);
  expect(after.events, 'every event').toEqual([...before.events, ...events]);
  if (ledger.length === 0) expect(after.jobs, 'jobs of what was not paid for').toBe(before.jobs);
  if (ledger.length > 1) expect(await here.invariants()).toMatchObject({ ok: true });
  return { ...answer, account };
}

function expectAnswer(answer: Answer, row: Scenario, usual: number): void {
  const { status = usual, error } = row;
  if (error) {
    const { code = 'invalid_request', field, says = field ?? '' } = error;
    expect(expectError(answer, status, code, field).message).toMatch(says);
  }
  expect(answer.status, JSON.stringify(answer.body)).toBe(status);
  if (row.answer) expect(answer.body).toMatchObject(row.answer);
  for (const [name, value] of Object.entries(row.shows ?? {})) expect(answer.headers.get(name), name).toBe(value);
}

async function recordOf(account: TestAccount) {
  const [ledger, events, jobs] = await Promise.all([account.ledger(), account.events(), account.jobs()]);
  return { ledger, events, jobs: jobs.length };
}

/** The entries that a new account begins with. */
function opening({ credits = 50 }: AccountSettings): string[] {
  if (credits === 0) return [];
  return credits > 50 ? ['grant 50', `top_up ${credits - 50}`] : [`grant ${credits}`];
}
