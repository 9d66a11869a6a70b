import { explainRequest, explanation } from '../orders/explain-order.ts';
import { operation } from '../http/operation.ts';
import { requireRequest } from './journal-control.ts';

export const explain = operation({
  name: 'explainRequest',
  method: 'GET',
  path: '/_emulator/explain/:id',
  summary: 'What became of one request, step by step, with the arithmetic of its price.',
  access: 'local',
  answer: explanation,
  async handle(call) {
    return explainRequest(call.context, await requireRequest(call.context, call.param('id')));
  },
});
