import type { Operation } from '../http/operation.ts';
import { callFlow } from './call-flow.ts';

/** The inbound addresses. Nothing else registers a path under /hooks. */
export const HOOKS: readonly Operation[] = [callFlow];
