import { z } from 'zod';
import { jsonObject, optional, text, withDefault } from '../base/schemas.ts';
import { OUTPUT_KINDS, STEP_TYPES } from '../engine/flows/definition.ts';
import { findRun, listRuns, RUN_SOURCES, RUN_STATUSES, type StoredRun } from '../engine/flows/flow-store.ts';
import { flowRunFields, type RunDetails } from '../engine/flows/run-progress.ts';
import { packFieldWithReason } from '../service/http/field-list.ts';
import { definePost } from './control-operation.ts';
import { Resource, searchPageQuerySchema } from './resource.ts';

const step = { step: z.int(), nodeId: z.string(), type: z.enum(STEP_TYPES) };

/** `step` is the current step, from 1. */
const runRecord = z.strictObject({
  id: z.string(),
  status: z.enum(RUN_STATUSES),
  source: z.enum(RUN_SOURCES),
  credits: z.int(),
  startedAt: z.string(),
  finishedAt: z.string().nullable(),
  inputs: z.record(z.string(), z.unknown()),
  flow: z.strictObject({ id: z.string(), name: z.string() }),
  workspace_id: z.string(),
  account_id: z.string(),
  step: z.int(),
  failure: z.strictObject({ ...step, message: z.string() }).optional(),
});

const wholeRun = runRecord.extend({
  steps: z.array(z.strictObject({ nodeId: z.string(), type: z.enum(STEP_TYPES) })),
  outputs: z.array(
    z.strictObject({
      ...step,
      kind: z.enum(OUTPUT_KINDS),
      text: z.string().optional(),
      url: z.string().optional(),
      creationId: z.string().optional(),
    }),
  ),
  waiting: z
    .strictObject({ ...step, postId: z.string(), text: z.string().optional(), url: z.string().optional() })
    .optional(),
});

function flowRunView(run: StoredRun) {
  const { flowId, flowName, workspaceId, accountId, step, failure } = run;
  return {
    ...flowRunFields(run),
    flow: { id: flowId, name: flowName },
    workspace_id: workspaceId,
    account_id: accountId,
    step,
    failure: failure ?? undefined,
  };
}

export function flowRunDetailView({ run, steps, outputs, waiting }: RunDetails) {
  const named = steps.map(({ nodeId, type }) => ({ nodeId, type }));
  return { ...flowRunView(run), steps: named, outputs, waiting };
}

const runs = new Resource({
  what: 'run',
  path: '/_emulator/runs',
  record: runRecord,
  find: ({ database }, id) => findRun(database, id),
  view: () => flowRunView,
});

const startRun = definePost('startRun', '/_emulator/flows/:id/runs', {
  summary: 'Starts a run of a flow.',
  body: z.object({
    inputs: withDefault(jsonObject(), {}).describe(
      'an object, the inputs of the run; steps read them as {{inputs.name}}.',
    ),
  }),
  status: 202,
  answer: runRecord,
  async handle(call) {
    const { inputs } = call.body;
    const order = { source: 'manual' as const, inputs, baseUrl: call.baseUrl, requestId: null, faults: null };
    return flowRunView(await call.context.control.flows.run(call.param('id'), order));
  },
});

export const listAllRuns = runs.list({
  name: 'listRuns',
  summary: 'Lists runs of flows, newest first.',
  query: searchPageQuerySchema.extend({
    flow_id: optional(z.string()).describe('the id of a flow.'),
    status: optional(z.enum(RUN_STATUSES)).describe('running, waiting, done or failed.'),
  }),
  search: 'run',
  keeps: (run, { flow_id, status }) => (!flow_id || run.flowId === flow_id) && (!status || run.status === status),
  positionOf: ({ database }, id) => findRun(database, id)?.position,
  rows: ({ database }, { flow_id: flowId, ...page }) => listRuns(database, { ...page, flowId }),
});

const showRun = runs.get({
  name: 'showRun',
  summary: 'Shows a run with the results of its steps.',
  answer: wholeRun,
  view: (call) => (run) => flowRunDetailView(call.context.control.flows.view(run.id)),
});

const clickRun = definePost('clickRun', '/_emulator/runs/:id/click', {
  summary: 'Approves or rejects the post of a waiting run, optionally with a new text.',
  body: z.object({
    choice: z.enum(['approve', 'reject']).describe('approve or reject.'),
    text: optional(text({ max: 100_000 })).describe('the new text of the post, at most 100,000 characters.'),
  }),
  answer: wholeRun,
  async handle(call) {
    const { choice, text: edited } = call.body;
    if (choice === 'reject' && edited !== undefined) call.warn(packFieldWithReason('text', 'choice=reject'));
    return flowRunDetailView(await call.context.control.flows.click(call.param('id'), { choice, text: edited }));
  },
});

const cancelRun = definePost('cancelRun', '/_emulator/runs/:id/cancel', {
  summary: 'Ends a run at its current step: the run fails, and that step is refunded.',
  answer: wholeRun,
  async handle(call) {
    return flowRunDetailView(await call.context.control.flows.cancel(call.param('id')));
  },
});

export const FLOW_RUN_OPERATIONS = [startRun, listAllRuns, showRun, clickRun, cancelRun] as const;
