import { z } from 'zod';
import { invalid } from '../base/errors.ts';
import { type Account, findAccount, findPlan, listAccounts } from '../engine/accounts/account-store.ts';
import { noAccount } from '../engine/accounts/accounts.ts';
import { PLANS, ROLES } from '../engine/accounts/roles.ts';
import { unitKey } from '../engine/accounts/units.ts';
import type { Context } from '../service/http/context.ts';
import { optional, text, whole } from '../service/http/input.ts';
import { operation } from '../service/http/operation.ts';
import { pageQuery } from './list-page.ts';
import { Resource } from './resource.ts';
import { requireUnit, unitOrder } from './units.ts';

/** Credits that one account may be given at once. */
export const MOST_CREDITS = 1_000_000_000;

/** An account with what it has, in credits. */
const accountRecord = z.strictObject({
  id: z.string(),
  workspace_id: z.string(),
  name: z.string().nullable(),
  plan: z.enum(PLANS),
  role: z.enum(ROLES),
  credits: z.int(),
});

/** As the page reads it. @public */
export type AccountRecord = z.infer<typeof accountRecord>;

function viewOf(account: Account) {
  const { id, workspaceId, name, plan, role, balance: credits } = account;
  return { id, workspace_id: workspaceId, name, plan, role, credits };
}

const accounts = new Resource({
  what: 'account',
  path: '/_emulator/accounts',
  record: accountRecord,
  find: ({ database }, id) => findAccount(database, id),
  view: () => viewOf,
  missing: noAccount,
});

export const createAccount = operation({
  name: 'createAccount',
  method: 'POST',
  path: '/_emulator/accounts',
  summary: 'A new account with a key of its own: the way to keep parallel tests apart.',
  access: 'local',
  body: z.object({
    name: optional(text({ max: 200 })).describe('a text of at most 200 characters.'),
    workspace_id: optional(z.string()).describe('the workspace to join; a new one is made without it.'),
    plan: optional(z.enum(PLANS)).describe('payg (the default), hobby, creator or studio.'),
    role: optional(z.enum(ROLES)).describe('owner, admin or member.'),
    credits: optional(whole(0, MOST_CREDITS)).describe('a whole number of credits, by default 50.'),
    unit: optional(unitOrder).describe('the test that it is made for, which is reported as a unit.'),
    unit_id: optional(z.string()).describe('the unit that it is one more account of.'),
  }),
  status: 201,
  answer: accountRecord.extend({ api_key: z.string(), unit_id: z.string().optional() }),
  async handle({ context, body }) {
    const { workspace_id: workspaceId, unit: named, unit_id: unitId, ...order } = body;
    if (named && unitId !== undefined) throw invalid('unit_id', 'unit_id is of a unit that there is; give it or unit.');
    const known = unitId === undefined ? undefined : requireUnit(context.units, unitId);
    const { account, apiKey } = await context.accounts.open({
      ...order,
      ...(workspaceId ? { workspaceId } : {}),
    });
    const opened = { ...viewOf(account), api_key: apiKey };
    const unit = named ? context.units.open(named) : (known ?? context.units.only);
    if (!unit) return opened;
    context.units.join(unit, account.id);
    await context.standing.join(account.id, unitKey(unit));
    return { ...opened, unit_id: unit.id };
  },
});

export const listAllAccounts = accounts.list({
  name: 'listAccounts',
  summary: 'All accounts, newest first.',
  query: pageQuery.extend({
    q: optional(z.string().max(200)).describe(
      'pieces of its name, id or workspace, its role or plan; at most 200 characters.',
    ),
  }),
  positionOf: ({ database }, id) => findAccount(database, id)?.position,
  rows: ({ database }, page) => listAccounts(database, page),
});

export const showAccount = accounts.get({ name: 'showAccount', summary: 'One account with its balance.' });

export const changeAccount = operation({
  name: 'changeAccount',
  method: 'PATCH',
  path: '/_emulator/accounts/:id',
  summary: 'Changes the name or the role of an account; its keys go on with the new role.',
  access: 'local',
  body: z.object({
    name: optional(text({ min: 1, max: 200 })).describe('a text of 1 to 200 characters.'),
    role: optional(z.enum(ROLES)).describe('owner, admin or member.'),
  }),
  answer: accountRecord,
  async handle(call) {
    const id = call.param('id');
    await call.context.accounts.change(id, call.body);
    return viewOf(requireAccount(call.context, id));
  },
});

export const setPlan = operation({
  name: 'setPlan',
  method: 'PATCH',
  path: '/_emulator/workspaces/:id',
  summary: 'Changes the plan of a workspace.',
  access: 'local',
  body: z.object({ plan: z.enum(PLANS).describe('payg, hobby, creator or studio.') }),
  answer: z.strictObject({ id: z.string(), plan: z.enum(PLANS) }),
  async handle(call) {
    const id = call.param('id');
    await call.context.accounts.setPlan(id, call.body.plan);
    return { id, plan: findPlan(call.context.database, id) ?? call.body.plan };
  },
});

/** Throws `not_found`. */
export function requireAccount(context: Context, id: string): Account {
  return accounts.require(context, id);
}
