import { z } from 'zod';
import { unixSeconds } from '../base/clock/clock.ts';
import { EmulatorError, invalid, quoted } from '../base/errors.ts';
import { findOwner } from '../engine/accounts/account-store.ts';
import type { FlowStep, StepFindings } from '../engine/flows/definition.ts';
import { type Flow, findFlow, listFlows } from '../engine/flows/flow-store.ts';
import { STEP_TYPES } from '../engine/flows/step-kind.ts';
import type { Context } from '../service/http/context.ts';
import { InputReader, optional, text } from '../service/http/input.ts';
import { refuseUnknown } from '../service/http/issue-text.ts';
import { jsonObject } from '../service/http/json-bounds.ts';
import type { Operation } from '../service/http/operation.ts';
import type { Call } from '../service/http/request.ts';
import { requireAccount } from './accounts.ts';
import { get, patch, post, put } from './control-operation.ts';
import { foundPageQuery } from './list-page.ts';
import { Resource } from './resource.ts';

const step = z
  .object({
    nodeId: text({ min: 1, max: 64 }).describe('a name of the step, unique in the flow.'),
    type: z.enum(STEP_TYPES).describe('text, image, video, music, speech or post.'),
    params: optional(jsonObject()).describe(
      "an object: the body of the step's endpoint; texts may hold {{inputs.name}}, {{steps.N.text}}, {{steps.N.url}}.",
    ),
  })
  .transform(({ params = {}, ...rest }) => ({ ...rest, params }));

/** What a flow does, without any id of this emulator: what is exported and imported. */
export const flowDefinition = z.object({
  name: text({ min: 1, max: 200 }).describe('the name of the flow, at most 200 characters.'),
  steps: z.array(step).min(1).max(100).describe('an array of 1 to 100 steps.'),
});

const stepRecord = z.strictObject({
  nodeId: z.string(),
  type: z.enum(STEP_TYPES),
  params: z.record(z.string(), z.unknown()),
});

/** Name and steps of a flow, without any id. */
export const definitionRecord = z.strictObject({ name: z.string(), steps: z.array(stepRecord) });

export const flowRecord = definitionRecord.extend({
  id: z.string(),
  version: z.int(),
  enabled: z.boolean(),
  workspace_id: z.string(),
  account_id: z.string(),
  hook_url: z.string(),
  created: z.int(),
});

export type FlowRecord = z.infer<typeof flowRecord>;

export function viewOfFlow(flow: Flow, baseUrl: string) {
  const { id, name, version, enabled, steps, workspaceId, accountId, token, created } = flow;
  return {
    id,
    name,
    version,
    enabled,
    workspace_id: workspaceId,
    account_id: accountId,
    steps,
    hook_url: `${baseUrl}/hooks/flows/${token}`,
    created: unixSeconds(created),
  };
}

/** Throws for steps that cannot work; what their endpoints do not know is named, and in strict mode refused. */
export function checkSteps(call: Call<unknown, unknown>, steps: readonly FlowStep[]): void {
  const { flows, config } = call.context;
  const unknown = flows.book.check(steps);
  if (config.strict) refuseUnknown(unknown, []);
  call.warnAll(unknown);
}

const definitionReader = new InputReader(flowDefinition);

export function findingsOf({ flows, config }: Context, body: unknown): StepFindings {
  try {
    const found = flows.book.lookAt(definitionReader.read(body).steps);
    const ignored = [...definitionReader.unknown(body), ...found.unknown];
    if (config.strict && found.errors.length === 0) refuseUnknown(ignored, []);
    return { errors: found.errors, unknown: ignored };
  } catch (error) {
    if (error instanceof EmulatorError) return { errors: [error], unknown: [] };
    throw error;
  }
}

export function payerOf(context: Context, workspaceId: string, accountId: string | undefined): string {
  if (accountId === undefined) {
    const owner = findOwner(context.database, workspaceId);
    if (owner) return owner.id;
    throw invalid('workspace_id', `workspace_id names no workspace with an owner; got ${quoted(workspaceId)}.`);
  }
  const account = requireAccount(context, accountId);
  if (account.workspaceId === workspaceId) return account.id;
  throw invalid(
    'account_id',
    `account_id must be an account of the workspace ${workspaceId}; "${accountId}" belongs to another.`,
  );
}

const enabled = optional(z.boolean()).describe('false to have no run begin; true by default.');

export const flows = new Resource({
  what: 'flow',
  path: '/_emulator/flows',
  record: flowRecord,
  find: (context, id) => context.flows.book.find(id),
  view:
    ({ baseUrl }) =>
    (flow: Flow) =>
      viewOfFlow(flow, baseUrl),
  ownerOf: ({ accountId }) => accountId,
});

const createFlow = post('createFlow', '/_emulator/flows', {
  summary: 'Creates a flow of a workspace.',
  body: flowDefinition.extend({
    workspace_id: z.string().describe('the id of a workspace; every account names its own.'),
    account_id: optional(z.string()).describe('the account that pays; by default the owner of the workspace.'),
    enabled,
  }),
  status: 201,
  answer: flowRecord,
  async handle(call) {
    const { context, body } = call;
    const { workspace_id: workspaceId, name, steps } = body;
    const accountId = payerOf(context, workspaceId, body.account_id);
    checkSteps(call, steps);
    const order = { workspaceId, accountId, name, steps, enabled: body.enabled ?? true };
    return viewOfFlow(await context.flows.book.create(order), call.baseUrl);
  },
});

const checkFlow = post('checkFlow', '/_emulator/check-flow', {
  summary: 'What is wrong with a flow, at most one thing for each step; makes and changes nothing.',
  body: z.object({
    name: z.unknown().describe('the name, as to make a flow.'),
    steps: z.unknown().describe('the steps, as to make a flow.'),
  }),
  answer: z.strictObject({
    ok: z.boolean(),
    errors: z.array(z.strictObject({ code: z.string(), message: z.string(), param: z.string().nullable() })),
    ignored: z.array(z.string()).describe('fields that nothing knows.'),
  }),
  handle({ context, body }) {
    const { errors, unknown } = findingsOf(context, body);
    const found = errors.map(({ code, message, param }) => ({ code, message, param }));
    return { ok: found.length === 0, errors: found, ignored: unknown };
  },
});

export const listAllFlows = flows.list({
  name: 'listFlows',
  summary: 'Lists flows, newest first.',
  query: foundPageQuery,
  isDeletable: true,
  positionOf: ({ database }, id) => findFlow(database, id)?.position,
  rows: ({ database }, page) => listFlows(database, page),
});

const showFlow = flows.get({ name: 'showFlow', summary: 'Shows a flow.' });

const changeFlow = patch('changeFlow', '/_emulator/flows/:id', {
  summary: 'Switches a flow on or off, or sets which account pays.',
  body: z.object({
    enabled: optional(z.boolean()).describe('true to have runs begin, false to have none begin.'),
    account_id: optional(z.string()).describe('the account that pays, of the same workspace.'),
  }),
  answer: flowRecord,
  async handle(call) {
    const { context, body } = call;
    const { id, workspaceId } = context.flows.book.find(call.param('id'));
    const accountId = body.account_id && payerOf(context, workspaceId, body.account_id);
    const change = { enabled: body.enabled, accountId };
    return viewOfFlow(await context.flows.book.change(id, change), call.baseUrl);
  },
});

const removeFlow = flows.remove({
  name: 'removeFlow',
  summary: 'Removes a flow; its runs in progress continue.',
  remove: ({ flows: { book } }, { id }) => book.remove(id),
});

const exportFlow = get('exportFlow', '/_emulator/flows/:id/definition', {
  summary: 'Name and steps of a flow, without ids: to keep, and to make it again elsewhere.',
  answer: definitionRecord,
  handle(call) {
    const { name, steps } = call.context.flows.book.find(call.param('id'));
    return { name, steps: steps.map((step) => ({ ...step })) };
  },
});

const importFlow = put('importFlow', '/_emulator/flows/:id/definition', {
  summary: 'Gives a flow another name and other steps: its next version. Runs keep theirs.',
  body: flowDefinition,
  answer: flowRecord,
  async handle(call) {
    const { book } = call.context.flows;
    const { id } = book.find(call.param('id'));
    checkSteps(call, call.body.steps);
    return viewOfFlow(await book.redefine(id, call.body), call.baseUrl);
  },
});

export const FLOW_OPERATIONS = [
  createFlow,
  listAllFlows,
  showFlow,
  changeFlow,
  removeFlow,
  exportFlow,
  importFlow,
  checkFlow,
] as const satisfies readonly Operation[];
