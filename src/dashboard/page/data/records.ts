import type { WireAnswer } from '../../../control/call-operation.ts';
import type { OrderView } from '../../../control/orders/order-operations.ts';
import type { RequestLine } from '../../../engine/journal/request-schemas.ts';
import type { RowOf } from './queries.ts';

export type Account = RowOf<'listAccounts'>;
export type Delivery = RowOf<'listDeliveries'>;
export type Effect = RowOf<'listEffects'>;
export type Endpoint = RowOf<'listEndpoints'>;
export type FaultRule = RowOf<'listFaults'>;
export type Flow = RowOf<'listFlows'>;
export type Hold = RowOf<'listHolds'>;
export type Job = WireAnswer<'getJob'>;
export type LedgerEntry = RowOf<'listUsage'>;
export type Order = RowOf<'listOrders'>;
export type RequestRecord = WireAnswer<'showRequest'>;
export type Run = RowOf<'listRuns'>;
/** The type of the server, because the OpenAPI document describes only some fields of this response. */
export type Timeline = OrderView;
export type { RequestLine };
