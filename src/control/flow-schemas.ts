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

export const flowView = z.looseObject({
  id: z.string(),
  name: z.string(),
  version: z.int(),
  enabled: z.boolean(),
  hook_url: z.string(),
});

export function viewOfFlow(flow: Flow, baseUrl: string) {
  const { id, name, version, enabled, steps, workspaceId, accountId, token, created } = flow;
  return {
    ...{ id, name, version, enabled },
    ...{ workspace_id: workspaceId, account_id: accountId },
    steps,
    hook_url: `${baseUrl}/hooks/flows/${token}`,
    created: unixSeconds(created),
  };
}
