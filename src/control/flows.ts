import { z } from 'zod';
import { unixSeconds } from '../base/clock/clock.ts';
import { invalidRequestError, quoted } from '../base/errors.ts';
import { jsonObject, optional, text, textWithoutNul } from '../base/schemas.ts';
import { findOldestOwnerOfWorkspace } from '../engine/accounts/account-store.ts';
import { STEP_TYPES } from '../engine/flows/definition.ts';
import {
  addFlow,
  type Flow,
  flowPosition,
  listFlows,
  requireFlow,
  softDeleteFlow,
} from '../engine/flows/flow-store.ts';
import type { Context } from '../service/http/context.ts';
import { rejectUnknownFields } from '../service/http/issue-text.ts';
import { accounts } from './accounts.ts';
import { definePost } from './control-operation.ts';
import { Resource, searchPageQuerySchema } from './resource.ts';

const step = z
  .object({
    nodeId: text({ min: 1, max: 64 }).describe('the name of the step, unique in the flow, 1 to 64 characters.'),
    type: z.enum(STEP_TYPES).describe('text, image, video, music, speech or post.'),
    params: optional(jsonObject()).describe(
      'an object, the request body of the step; texts may contain {{inputs.name}}, {{steps.N.text}} and {{steps.N.url}}.',
    ),
  })
  .transform(({ params = {}, ...rest }) => ({ ...rest, params }));

export const flowDefinitionSchema = z.object({
  name: textWithoutNul({ min: 1, max: 200 }).describe('the name of the flow, 1 to 200 characters.'),
  steps: z.array(step).min(1).max(100).describe('an array of 1 to 100 steps.'),
});

const stepRecord = z.strictObject({
  nodeId: z.string(),
  type: z.enum(STEP_TYPES),
  params: z.record(z.string(), z.unknown()),
});

const flowRecord = z.strictObject({
  name: z.string(),
  steps: z.array(stepRecord),
  id: z.string(),
  workspace_id: z.string(),
  account_id: z.string(),
  hook_url: z.string(),
  created: z.int(),
});

function payerOf(context: Context, workspaceId: string, accountId: string | undefined): string {
  if (accountId === undefined) {
    const owner = findOldestOwnerOfWorkspace(context.database, workspaceId);
    if (owner) return owner.id;
    throw invalidRequestError(
      'workspace_id',
      `workspace_id must be the id of a workspace with an owner, not ${quoted(workspaceId)}. GET /_emulator/accounts lists accounts with their workspaces.`,
    );
  }
  const account = accounts.require(context, accountId);
  if (account.workspaceId === workspaceId) return account.id;
  throw invalidRequestError(
    'account_id',
    `account_id must be an account of the workspace ${workspaceId}; "${accountId}" belongs to another.`,
  );
}

const flowResource = new Resource({
  what: 'flow',
  path: '/_emulator/flows',
  record: flowRecord,
  find: ({ database }, id) => requireFlow(database, id),
  view:
    ({ baseUrl }) =>
    ({ id, name, steps, workspaceId, accountId, token, created }: Flow) => ({
      id,
      name,
      workspace_id: workspaceId,
      account_id: accountId,
      steps,
      hook_url: `${baseUrl}/hooks/flows/${token}`,
      created: unixSeconds(created),
    }),
});

const createFlow = definePost('createFlow', '/_emulator/flows', {
  summary: 'Creates a flow in a workspace.',
  body: flowDefinitionSchema.extend({
    workspace_id: z.string().describe('the id of a workspace, as accounts show it.'),
    account_id: optional(z.string()).describe('the id of the account that pays (default: the owner of the workspace).'),
  }),
  status: 201,
  answer: flowRecord,
  async handle(call) {
    const { context, body } = call;
    const { workspace_id: workspaceId, name, steps } = body;
    const accountId = payerOf(context, workspaceId, body.account_id);
    const unknown = context.control.flows.check(steps);
    if (context.config.strict) rejectUnknownFields(unknown);
    call.warnAll(unknown);
    return flowResource.view(call)(await addFlow(context, { workspaceId, accountId, name, steps }));
  },
});

const listAllFlows = flowResource.list({
  name: 'listFlows',
  summary: 'Lists flows, newest first.',
  query: searchPageQuerySchema,
  positionOf: ({ database }, id) => flowPosition(database, id),
  rows: ({ database }, page) => listFlows(database, page),
});

const removeFlow = flowResource.remove({
  name: 'removeFlow',
  summary: 'Deletes a flow. Runs in progress continue.',
  remove: ({ database }, { id }) => softDeleteFlow(database, id),
});

export const FLOW_OPERATIONS = [createFlow, listAllFlows, removeFlow] as const;
