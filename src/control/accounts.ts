import { z } from 'zod';
import { isoTime, unixSeconds } from '../base/clock/clock.ts';
import { invalidRequestError } from '../base/errors.ts';
import { integerBetween, optional, text, textWithoutNul } from '../base/schemas.ts';
import { type Account, findAccount, listAccounts, PLANS, ROLES } from '../engine/accounts/account-store.ts';
import { accountNotFoundError } from '../engine/accounts/accounts.ts';
import { listKeys } from '../engine/accounts/key-store.ts';
import { type RecordedTest, TEST_OUTCOMES, type Tests } from '../engine/accounts/tests.ts';
import { writeProgression } from '../engine/jobs/job-store.ts';
import { defineDelete, defineGet, definePatch, definePost } from './control-operation.ts';
import { progressionSettingsSchema, requireProgression } from './progression-settings.ts';
import { listSchema, notFoundError, pageQuerySchema, Resource, toListResponse } from './resource.ts';

const TESTS = '/_emulator/tests';
const MAX_NAME = 2000;
const MAX_LINES = 10_000_000;

const testSettings = z.strictObject({
  name: text({ min: 1, max: MAX_NAME }).describe('the titles of the test and its groups, 1 to 2,000 characters.'),
  file: optional(text({ max: MAX_NAME })).describe('its source file, at most 2,000 characters.'),
  line: optional(integerBetween(1, MAX_LINES)).describe('its line in the file, from 1.'),
  retry: optional(z.boolean()).describe('true for a retry, which counts as the same test.'),
});

const testRecord = z.strictObject({
  id: z.string(),
  name: z.string(),
  file: z.string().nullable(),
  line: z.int().nullable(),
  account_ids: z.array(z.string()),
  exclusive: z.boolean(),
  outcome: z.enum(TEST_OUTCOMES).nullable(),
  error: z.string().nullable(),
  started: z.string(),
  ended: z.string().nullable(),
});

function testView({ accountIds, started, ended, ...test }: RecordedTest) {
  const { id, name, file = null, line = null, exclusive, outcome = null, error = null } = test;
  const times = { started: isoTime(started), ended: ended === undefined ? null : isoTime(ended) };
  return { id, name, file, line, account_ids: [...accountIds], exclusive, outcome, error, ...times };
}

const listTests = defineGet('listTests', TESTS, {
  summary: 'Lists the tests that fixtures report, newest first, with their accounts and outcomes.',
  answer: listSchema(testRecord),
  handle: ({ context }) => toListResponse(context.control.tests.list().reverse().map(testView)),
});

const endTest = definePatch('endTest', `${TESTS}/:id`, {
  summary: 'Reports how a test ended; the last report counts.',
  body: z.strictObject({
    outcome: z.enum(TEST_OUTCOMES).describe(`one of ${TEST_OUTCOMES.join(', ')}.`),
    error: optional(z.string()).describe('the error of the test; only the first 2,000 characters are kept.'),
  }),
  answer: testRecord,
  handle(call) {
    const { tests } = call.context.control;
    const test = requireRecordedTest(tests, call.param('id'));
    tests.end(test, call.body.outcome, call.body.error);
    return testView(test);
  },
});

function requireRecordedTest(tests: Tests, id: string): RecordedTest {
  const test = tests.find(id);
  if (test) return test;
  throw notFoundError('test', TESTS, id);
}

export const MAX_CREDIT_AMOUNT = 1_000_000_000;

const accountRecord = z.strictObject({
  id: z.string(),
  workspace_id: z.string(),
  name: z.string().nullable(),
  plan: z.enum(PLANS),
  role: z.enum(ROLES),
  credits: z.int(),
});

function accountView(account: Account) {
  const { id, workspaceId, name, plan, role, balance: credits } = account;
  return { id, workspace_id: workspaceId, name, plan, role, credits };
}

const keyRecord = z.strictObject({
  id: z.string(),
  created: z.int(),
  revoked: z.int().nullable(),
});

const MAX_KEYS = 1000;

export const accounts = new Resource({
  what: 'account',
  path: '/_emulator/accounts',
  record: accountRecord,
  find: ({ database }, id) => findAccount(database, id),
  view: () => accountView,
  missing: accountNotFoundError,
});

const createAccount = definePost('createAccount', '/_emulator/accounts', {
  summary: 'Creates an account with its own key, so that parallel tests do not affect each other.',
  body: z.object({
    name: optional(textWithoutNul({ max: 200 })).describe('its name, at most 200 characters.'),
    workspace_id: optional(z.string()).describe('the id of the workspace to join (default: a new one).'),
    plan: optional(z.enum(PLANS)).describe('payg, hobby, creator or studio (default: payg).'),
    role: optional(z.enum(ROLES)).describe('owner, admin or member.'),
    credits: optional(integerBetween(0, MAX_CREDIT_AMOUNT)).describe('the initial balance in credits (default: 50).'),
    progression: optional(progressionSettingsSchema).describe('when its jobs end.'),
    test: optional(testSettings).describe('the test that uses the account.'),
    test_id: optional(z.string()).describe('the id of a test that uses it too.'),
  }),
  status: 201,
  answer: accountRecord.extend({ api_key: z.string(), test_id: z.string().optional() }),
  async handle(call) {
    const { context, body } = call;
    const { workspace_id: workspaceId, test: named, test_id: testId, progression, ...order } = body;
    if (named && testId !== undefined)
      throw invalidRequestError(
        'test_id',
        'test_id and test are both given; give test_id for an existing test, or test for a new one.',
      );
    const known = testId === undefined ? undefined : requireRecordedTest(context.control.tests, testId);
    const wanted = progression && requireProgression(call, progression, 'progression.value');
    const { account, apiKey } = await context.database.transact((tx) => {
      const made = context.accounts.openWithin(tx, { ...order, workspaceId: workspaceId || undefined });
      if (wanted) writeProgression(tx, wanted, made.account.id);
      return made;
    });
    const test = named ? context.control.tests.open(named) : (known ?? context.control.tests.only);
    if (test) context.control.tests.join(test, account.id);
    return { ...accountView(account), api_key: apiKey, test_id: test?.id };
  },
});

export const listAllAccounts = accounts.list({
  name: 'listAccounts',
  summary: 'Lists accounts, newest first.',
  query: pageQuerySchema.extend({
    q: optional(z.string().max(200)).describe(
      'a part of a name, an id or a workspace, or a role, a plan or the id of a key; at most 200 characters.',
    ),
  }),
  positionOf: ({ database }, id) => findAccount(database, id)?.position,
  rows: ({ database }, page) => listAccounts(database, page),
});

const showAccount = accounts.get({
  name: 'showAccount',
  summary:
    'Shows an account with its balance and its newest 1,000 keys, including revoked keys. The secrets are omitted.',
  answer: accountRecord.extend({ keys: z.array(keyRecord) }),
  view:
    ({ context }) =>
    (account) => {
      const keys = listKeys(context.database, account.id, MAX_KEYS).map(({ id, created, revoked }) => {
        return { id, created: unixSeconds(created), revoked: revoked === null ? null : unixSeconds(revoked) };
      });
      return { ...accountView(account), keys };
    },
});

const changeAccount = definePatch('changeAccount', '/_emulator/accounts/:id', {
  summary: 'Changes the name or role of an account, or the plan of its workspace.',
  body: z.object({
    name: optional(textWithoutNul({ min: 1, max: 200 })).describe('the name of the account, 1 to 200 characters.'),
    role: optional(z.enum(ROLES)).describe('owner, admin or member.'),
    plan: optional(z.enum(PLANS)).describe('the plan of the workspace: payg, hobby, creator or studio.'),
  }),
  answer: accountRecord,
  async handle(call) {
    const id = call.param('id');
    await call.context.accounts.change(id, call.body);
    return accountView(accounts.require(call.context, id));
  },
});

const addKey = definePost('addKey', '/_emulator/accounts/:id/keys', {
  summary: 'Adds a key to an account, and shows the key once.',
  status: 201,
  answer: z.strictObject({ id: z.string(), api_key: z.string() }),
  async handle(call) {
    const { id, apiKey } = await call.context.accounts.keys.add(accounts.require(call.context, call.param('id')).id);
    return { id, api_key: apiKey };
  },
});

const revokeKey = defineDelete('revokeKey', '/_emulator/keys/:id', {
  summary: 'Revokes a key immediately.',
  act: (call) => call.context.accounts.keys.revoke(call.param('id')),
});

export const ACCOUNT_AND_TEST_OPERATIONS = [
  createAccount,
  listAllAccounts,
  showAccount,
  changeAccount,
  listTests,
  endTest,
  addKey,
  revokeKey,
] as const;
