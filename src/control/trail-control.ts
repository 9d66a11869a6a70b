import { z } from 'zod';
import type { Context } from '../http/context.ts';
import { operation } from '../http/operation.ts';
import { entryIdOf, entryUrls, findEntry } from '../library/library.ts';
import { explainOrder } from '../orders/explain-order.ts';
import { orderLine } from '../orders/order-line.ts';
import type { OrderRecords } from '../orders/order-records.ts';
import { readOrder } from '../orders/read-order.ts';
import { requireRoot, StoredOrders } from '../orders/stored-orders.ts';
import { timelineOf } from '../orders/timeline.ts';
import { weekSigner } from '../storage/signed-url.ts';

export const showTrail = operation({
  name: 'getTrail',
  method: 'GET',
  path: '/_emulator/trail/:id',
  summary: 'One order from its request to its deliveries, in the order of the machine’s clock, by any id of it.',
  access: 'local',
  answer: z.looseObject({ id: z.string() }),
  async handle(call) {
    const { context, baseUrl } = call;
    const orders = new StoredOrders(context);
    const records = readOrder(orders, await requireRoot(context, orders, call.param('id')), { reads: true });
    const { request } = records;
    return {
      ...timelineOf(records),
      line: orderLine(records, records.reads.length),
      made: madeOf(context, records, baseUrl),
      explained: request ? explainOrder(context, { ...records, request }).steps : [],
    };
  },
});

/** The files that the order came to, with the job of each. */
function madeOf({ database, clock }: Context, { jobs }: OrderRecords, baseUrl: string) {
  const sign = weekSigner(database, clock.now());
  return jobs.flatMap(({ id }) => {
    const entry = findEntry(database, entryIdOf(id));
    if (!entry) return [];
    const { file, thumbnail } = entryUrls(entry, sign);
    const { medium, contentType, seconds } = entry;
    const urls = { url: baseUrl + file, thumbnail_url: baseUrl + thumbnail };
    return [{ job_id: id, library_id: entry.id, kind: medium, content_type: contentType, seconds, ...urls }];
  });
}
