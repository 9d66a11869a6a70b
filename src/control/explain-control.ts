import { operation } from '../http/operation.ts';
import { explainRequest, explanation } from '../orders/explain-order.ts';
import { StoredOrders } from '../orders/stored-orders.ts';
import { requireRequest } from './journal.ts';

export const explain = operation({
  name: 'explainRequest',
  method: 'GET',
  path: '/_emulator/explain/:id',
  summary: 'What became of one request, step by step, with the arithmetic of its price.',
  access: 'local',
  answer: explanation,
  async handle(call) {
    const { context } = call;
    return explainRequest(context, new StoredOrders(context), await requireRequest(context, call.param('id')));
  },
});
