import type { WireAnswer } from '../../../control/call-operation.ts';
import type { OrderView } from '../../../control/orders/order-operations.ts';
import type { RequestSummary } from '../../../engine/journal/request-schemas.ts';
import type { ListRecord } from './queries.ts';

export type Account = ListRecord<'listAccounts'>;
export type Delivery = ListRecord<'listDeliveries'>;
export type FaultEffectDefinition = ListRecord<'listEffects'>;
export type Endpoint = ListRecord<'listEndpoints'>;
export type FaultRule = ListRecord<'listFaults'>;
export type Flow = ListRecord<'listFlows'>;
export type Hold = ListRecord<'listHolds'>;
export type Job = WireAnswer<'getJob'>;
export type LedgerEntry = ListRecord<'listUsage'>;
export type OrderSummary = ListRecord<'listOrders'>;
export type RequestRecord = WireAnswer<'showRequest'>;
export type FlowRun = ListRecord<'listRuns'>;
/** The type of the server, because the schema of this response describes only `id`. */
export type Timeline = OrderView;
export type { RequestSummary };
