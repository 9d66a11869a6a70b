import { z } from 'zod';
import { findOwner } from '../accounts/account-store.ts';
import { unixSeconds } from '../clock/clock.ts';
import { nextId, nextNumber } from '../database/sequence-store.ts';
import { EmulatorError, invalid } from '../errors.ts';
import { deleteFlow, type Flow, findFlow, insertFlow, listFlows } from '../flows/flow-store.ts';
import { optional, text } from '../http/field-schemas.ts';
import { operation } from '../http/operation.ts';
import { NoContent } from '../http/reply.ts';
import type { Subsystems } from '../subsystems.ts';
import { requireAccount } from './account-control.ts';
import {
  accountPageQuery,
  listAnswer,
  listOf,
  positionAfter,
  STANDARD_LIMIT,
} from './list-page.ts';

const STEP_TYPES = ['text', 'image', 'video', 'music', 'speech', 'post'] as const;

/** How deep the params of a step may nest: what is deeper cannot be written as JSON again. */
const DEEPEST = 32;
const TOO_DEEP = { error: `is nested more than ${DEEPEST} levels deep; make it flatter.` };

const flowView = z.looseObject({ id: z.string(), name: z.string(), hook_url: z.string() });

export const createFlow = operation({
  name: 'createFlow',
  method: 'POST',
  path: '/_emulator/flows',
  summary: 'A flow of a workspace.',
  access: 'local',
  body: z.object({
    workspace_id: z.string().describe('the id of a workspace; every account names its own.'),
    account_id: optional(z.string()).describe(
      'the account that pays; by default the owner of the workspace.',
    ),
    name: text({ min: 1, max: 200 }).describe('the name of the flow, at most 200 characters.'),
    steps: z
      .array(
        z.object({
          nodeId: text({ min: 1, max: 64 }).describe('a name of the step, unique in the flow.'),
          type: z.enum(STEP_TYPES).describe('text, image, video, music, speech or post.'),
          params: optional(z.record(z.string(), z.unknown()).refine(isShallow, TOO_DEEP)).describe(
            "an object: the body of the step's endpoint.",
          ),
        }),
      )
      .min(1)
      .max(100)
      .describe('an array of 1 to 100 steps.'),
  }),
  status: 201,
  answer: flowView,
  async handle({ emulator, body, baseUrl }) {
    const accountId = payerOf(emulator, body.workspace_id, body.account_id);
    const steps = body.steps.map(({ nodeId, type, params = {} }) => ({ nodeId, type, params }));
    const flow = await emulator.database.transact((tx) => {
      const id = nextId(tx, emulator.random, 'flow', body.workspace_id);
      const token = emulator.random.token(id, 'hook', nextNumber(tx, id, 'hook'));
      insertFlow(tx, {
        id,
        workspaceId: body.workspace_id,
        accountId,
        name: body.name,
        steps,
        token,
      });
      return findFlow(tx, id);
    });
    if (!flow) throw new Error('the flow was not written');
    return viewOf(flow, baseUrl);
  },
});

export const listAllFlows = operation({
  name: 'listFlows',
  method: 'GET',
  path: '/_emulator/flows',
  summary: 'Flows, newest first.',
  access: 'local',
  query: accountPageQuery,
  answer: listAnswer,
  handle({ emulator, query, baseUrl }) {
    const { database } = emulator;
    const before = positionAfter(query.after, (id) => findFlow(database, id)?.position);
    const page = { accountId: query.account_id, limit: query.limit ?? STANDARD_LIMIT, before };
    return listOf(listFlows(database, page).map((flow) => viewOf(flow, baseUrl)));
  },
});

export const showFlow = operation({
  name: 'showFlow',
  method: 'GET',
  path: '/_emulator/flows/:id',
  summary: 'One flow.',
  access: 'local',
  answer: flowView,
  handle(call) {
    const flow = findFlow(call.emulator.database, call.param('id'));
    if (!flow) throw noFlow(call.param('id'));
    return viewOf(flow, call.baseUrl);
  },
});

export const removeFlow = operation({
  name: 'removeFlow',
  method: 'DELETE',
  path: '/_emulator/flows/:id',
  summary: 'Removes a flow.',
  access: 'local',
  status: 204,
  answer: 'nothing',
  async handle(call) {
    const id = call.param('id');
    const removed = await call.emulator.database.transact((tx) => deleteFlow(tx, id));
    if (!removed) throw noFlow(id);
    return new NoContent();
  },
});

function isShallow(value: unknown, levels = DEEPEST): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((each) => isShallow(each, levels - 1));
}

function viewOf(flow: Flow, baseUrl: string) {
  const { id, name, steps, workspaceId, accountId, token, created } = flow;
  const owner = { workspace_id: workspaceId, account_id: accountId };
  return {
    id,
    name,
    ...owner,
    steps,
    hook_url: `${baseUrl}/hooks/flows/${token}`,
    created: unixSeconds(created),
  };
}

function payerOf(emulator: Subsystems, workspaceId: string, accountId: string | undefined): string {
  if (accountId === undefined) {
    const owner = findOwner(emulator.database, workspaceId);
    if (owner) return owner.id;
    throw invalid(
      'workspace_id',
      `workspace_id names no workspace with an owner; got "${workspaceId.slice(0, 80)}".`,
    );
  }
  const account = requireAccount(emulator, accountId);
  if (account.workspaceId === workspaceId) return account.id;
  throw invalid(
    'account_id',
    `account_id must be an account of the workspace ${workspaceId}; "${accountId}" belongs to another.`,
  );
}

function noFlow(id: string): EmulatorError {
  return new EmulatorError(
    'flow_not_found',
    `There is no flow "${id.slice(0, 80)}"; GET /_emulator/flows lists those there are.`,
  );
}
