import { z } from 'zod';
import { TimeSlice } from '../../base/clock/clock.ts';
import { EmulatorError, quoted } from '../../base/errors.ts';
import { optional } from '../../base/schemas.ts';
import { distinct, groupBy } from '../../base/text.ts';
import {
  findLibraryEntry,
  libraryEntryIdOfJob,
  relativeFileAndThumbnailUrls,
} from '../../engine/library/library-store.ts';
import { createUrlSigner, thumbnailPath } from '../../engine/storage/cdn-url.ts';
import type { Context } from '../../service/http/context.ts';
import { defineGet } from '../control-operation.ts';
import { requireJournalRequest } from '../journal.ts';
import { ledgerEntryView } from '../ledger.ts';
import { accountPageQuerySchema, listSchema, toListResponse } from '../resource.ts';
import { findRecords } from '../search/search.ts';
import { explainRequest, explanationSchema, timelineWithRequestChecks } from './explain-request.ts';
import { jobIdOfGetRequest } from './order-records.ts';
import { orderSummarySchema, summarizeOrder } from './order-summary.ts';
import {
  findOrderRoot,
  type OrderRecords,
  type OrderRoot,
  orderRootOfRequest,
  readOrderRecords,
} from './stored-orders.ts';
import { timelineEntries } from './timeline-entries.ts';

const orderRecord = orderSummarySchema.extend({ thumbnail_url: z.string().nullable() });

const PAGE = 100;

export const listOrders = defineGet('listOrders', '/_emulator/orders', {
  summary: 'Lists requests and runs that a user started, each with a summary of its outcome, newest first.',
  query: accountPageQuerySchema.extend({
    limit: accountPageQuerySchema.shape.limit.describe(`a whole number from 1 to 1,000 (default: ${PAGE}).`),
    ids: optional(z.string().max(8000)).describe('the ids of requests or runs, separated by commas.'),
    q: optional(z.string().max(1000)).describe('a search, as in GET /_emulator/search.'),
  }),
  answer: listSchema(orderRecord),
  async handle({ context, query, baseUrl }) {
    const { ids, q = '', account_id: accountId, after, limit = PAGE } = query;
    const roots =
      ids === undefined
        ? await searchedRoots(context, q, { accountId, after, limit })
        : ids.split(',').flatMap((id) => namedRoot(context, id));
    return toListResponse(await orderLines(context, roots, baseUrl));
  },
});

async function searchedRoots(
  context: Context,
  q: string,
  page: { accountId: string | undefined; after: string | undefined; limit: number },
): Promise<OrderRoot[]> {
  const found = await findRecords(context, q, { ...page, kinds: ['request', 'run'] });
  const roots = found.flatMap(({ id }) => findOrderRoot(context, id) ?? []);
  const keyOf = ({ request, runId = '' }: OrderRoot) => request?.id ?? runId;
  return distinct(roots, keyOf).filter((root) => keyOf(root) !== '');
}

function namedRoot({ records: { journal } }: Context, id: string): OrderRoot[] {
  if (id.startsWith('run_')) return [{ runId: id }];
  const request = journal.find(id);
  return request ? [orderRootOfRequest(request)] : [];
}

async function orderLines(context: Context, roots: readonly OrderRoot[], baseUrl: string) {
  const { database, clock, records } = context;
  const sign = createUrlSigner(database, clock.now());
  const paths = records.journal.paths('/job_');
  const polls = groupBy(
    paths.flatMap((path) => jobIdOfGetRequest({ method: 'GET', path }) ?? []),
    (id) => id,
  );
  const lines = [];
  const slice = new TimeSlice();
  for (const root of roots) {
    const order = readOrderRecords(context, root, { reads: false });
    const reads = order.jobs.reduce((sum, { id }) => sum + (polls.get(id)?.length ?? 0), 0);
    const line = summarizeOrder(order, timelineEntries(order), reads);
    const picture = line.made?.library_id ? baseUrl + sign(thumbnailPath(line.made.library_id)) : null;
    lines.push({ ...line, thumbnail_url: picture });
    if (slice.isOver) await slice.turn();
  }
  return lines.sort((a, b) => b.time.began - a.time.began);
}

export const getTimeline = defineGet('getTimeline', '/_emulator/timeline/:id', {
  summary: 'Shows the timeline of an order from its request to its deliveries. Accepts the id of any of its parts.',
  answer: z.looseObject({ id: z.string() }),
  async handle(call) {
    const { context, baseUrl } = call;
    const id = call.param('id');
    const root = findOrderRoot(context, id);
    if (root) return orderView(context, readOrderRecords(context, root, { reads: true }), baseUrl);
    throw new EmulatorError(
      'not_found',
      `There is no order to which ${quoted(id)} belongs. Give the id of a request, charge, job, render, event, delivery or run that is on record; GET /_emulator/search finds them.`,
    );
  },
});

export type OrderView = ReturnType<typeof orderView>;

/** `at` is in milliseconds after `began`, which is the machine's time. */
export function orderView(context: Context, records: OrderRecords, baseUrl: string) {
  const { request, run } = records;
  const steps = timelineWithRequestChecks(context, records);
  const line = summarizeOrder(records, steps, records.reads.length);
  const { began, is_open } = line.time;
  const { text, tone } = line.status;
  const drawn = steps.filter(({ track }) => track.lane !== null);
  const decisive = drawn.find((step) => step.tone === 'bad') ?? drawn.find(({ kind }) => kind === 'run');
  const received = request ? (request.received ?? request.began) : run?.run.started;
  return {
    id: records.id,
    title: line.request.prompt || titleOf(records),
    text,
    tone: is_open && tone === 'good' ? ('work' as const) : tone,
    clock: { name: 'machine', began, emulated: received ?? null },
    steps: steps.map((step) => ({ ...step, at: step.at - began })),
    chosen: (decisive ?? drawn.at(-1))?.id ?? null,
    line,
    made: madeOf(context, records, baseUrl),
    parts: partsOf(records),
  };
}

function titleOf({ request, run, events, id }: OrderRecords): string {
  if (request) return `${request.method} ${request.path.split('?')[0]}`;
  return run?.run.flowName ?? events[0]?.type ?? id;
}

function partsOf({ entries, events }: OrderRecords): Record<string, object> {
  const paid = entries.map((entry) => [entry.id, { ...ledgerEntryView(entry), account_id: entry.accountId }]);
  return Object.fromEntries([...paid, ...events.map(({ id, body }) => [id, JSON.parse(body)])]);
}

function madeOf({ database, clock }: Context, { jobs }: OrderRecords, baseUrl: string) {
  const sign = createUrlSigner(database, clock.now());
  return jobs.flatMap(({ id }) => {
    const entry = findLibraryEntry(database, libraryEntryIdOfJob(id));
    if (!entry) return [];
    const { file, thumbnail } = relativeFileAndThumbnailUrls(entry, sign);
    const { medium, contentType, seconds } = entry;
    const urls = { url: baseUrl + file, thumbnail_url: baseUrl + thumbnail };
    return [{ job_id: id, library_id: entry.id, kind: medium, content_type: contentType, seconds, ...urls }];
  });
}

export const explain = defineGet('explainRequest', '/_emulator/explain/:id', {
  summary: 'Explains a request step by step, with the arithmetic of its price.',
  answer: explanationSchema,
  async handle(call) {
    const { context } = call;
    const request = await requireJournalRequest(context, call.param('id'));
    const records = readOrderRecords(context, orderRootOfRequest(request), { reads: false });
    return explainRequest(context, { ...records, request });
  },
});

export const ORDER_OPERATIONS = [explain, listOrders, getTimeline] as const;
