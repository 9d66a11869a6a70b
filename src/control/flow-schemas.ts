import { z } from 'zod';
import { unixSeconds } from '../clock/clock.ts';
import type { Flow } from '../flows/flow-store.ts';
import { STEP_TYPES } from '../flows/step-kind.ts';
import { jsonObject, optional, text } from '../http/field-schemas.ts';

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
