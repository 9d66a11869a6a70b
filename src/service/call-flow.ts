import { z } from 'zod';
import { jsonObject } from './http/json-bounds.ts';
import { type Operation, operation } from './http/operation.ts';

/** 1 MiB, the largest body of a flow's inbound address [I168]. */
const LIMIT = 1_048_576;

export const callFlow = operation({
  name: 'callFlow',
  method: 'POST',
  path: '/hooks/flows/:token',
  summary: "A flow's inbound address: starts a run with the body as its inputs.",
  access: 'public',
  body: jsonObject().describe('an object: what {{inputs.name}} reads.'),
  bodyLimit: LIMIT,
  announces: true,
  owner: (call) => call.context.control.flows.payerByToken(call.param('token')),
  status: 202,
  answer: z.strictObject({ id: z.string(), status: z.string() }),
  async handle(call) {
    const { body: inputs, baseUrl, requestId, appliedFault, context } = call;
    const order = {
      source: 'webhook' as const,
      inputs,
      baseUrl,
      requestId,
      faults: appliedFault?.takes?.[0]?.faults ?? null,
    };
    const { id, status, accountId } = await context.control.flows.runByToken(call.param('token'), order);
    Object.assign(call.facts, { runId: id, accountId });
    appliedFault?.onStarted?.();
    return { id, status };
  },
});

export const HOOKS: readonly Operation[] = [callFlow];
