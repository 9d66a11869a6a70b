import { z } from 'zod';
import { unixSeconds } from '../base/clock/clock.ts';
import { EmulatorError, invalid, quoted } from '../base/errors.ts';
import { findOwner } from '../engine/accounts/account-store.ts';
import type { FlowStep, StepFindings } from '../engine/flows/definition.ts';
import type { Flow } from '../engine/flows/flow-store.ts';
import { STEP_TYPES } from '../engine/flows/step-kind.ts';
import type { Context } from '../service/http/context.ts';
import { InputReader, optional, text } from '../service/http/input.ts';
import { refuseUnknown } from '../service/http/issue-text.ts';
import { jsonObject } from '../service/http/json-bounds.ts';
import type { Call } from '../service/http/request.ts';
import { requireAccount } from './accounts.ts';

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
