import { z } from 'zod';
import { type Flow, findFlow, listFlows } from '../engine/flows/flow-store.ts';
import { optional } from '../service/http/input.ts';
import { operation } from '../service/http/operation.ts';
import {
  checkSteps,
  definitionRecord,
  findingsOf,
  flowDefinition,
  flowRecord,
  payerOf,
  viewOfFlow,
} from './flow-schemas.ts';
import { foundPageQuery } from './list-page.ts';
import { Resource } from './resource.ts';

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

export const createFlow = operation({
  name: 'createFlow',
  method: 'POST',
  path: '/_emulator/flows',
  summary: 'A flow of a workspace.',
  access: 'local',
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

export const checkFlow = operation({
  name: 'checkFlow',
  method: 'POST',
  path: '/_emulator/check-flow',
  summary: 'What is wrong with a flow, at most one thing for each step; makes and changes nothing.',
  access: 'local',
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
  summary: 'Flows, newest first.',
  query: foundPageQuery,
  isDeletable: true,
  positionOf: ({ database }, id) => findFlow(database, id)?.position,
  rows: ({ database }, page) => listFlows(database, page),
});

export const showFlow = flows.get({ name: 'showFlow', summary: 'One flow.' });

export const changeFlow = operation({
  name: 'changeFlow',
  method: 'PATCH',
  path: '/_emulator/flows/:id',
  summary: 'Switches a flow on or off, or has another account pay.',
  access: 'local',
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

export const removeFlow = flows.remove({
  name: 'removeFlow',
  summary: 'Removes a flow; runs that have started go on.',
  remove: ({ flows: { book } }, { id }) => book.remove(id),
});

export const exportFlow = operation({
  name: 'exportFlow',
  method: 'GET',
  path: '/_emulator/flows/:id/definition',
  summary: 'Name and steps of a flow, without ids: to keep, and to make it again elsewhere.',
  access: 'local',
  answer: definitionRecord,
  handle(call) {
    const { name, steps } = call.context.flows.book.find(call.param('id'));
    return { name, steps: steps.map((step) => ({ ...step })) };
  },
});

export const importFlow = operation({
  name: 'importFlow',
  method: 'PUT',
  path: '/_emulator/flows/:id/definition',
  summary: 'Gives a flow another name and other steps: its next version. Runs keep theirs.',
  access: 'local',
  body: flowDefinition,
  answer: flowRecord,
  async handle(call) {
    const { book } = call.context.flows;
    const { id } = book.find(call.param('id'));
    checkSteps(call, call.body.steps);
    return viewOfFlow(await book.redefine(id, call.body), call.baseUrl);
  },
});

export const rollFlow = operation({
  name: 'rollFlow',
  method: 'POST',
  path: '/_emulator/flows/:id/roll',
  summary: 'A new hook_url; the old one is gone.',
  access: 'local',
  answer: flowRecord,
  async handle(call) {
    return viewOfFlow(await call.context.flows.book.roll(call.param('id')), call.baseUrl);
  },
});
