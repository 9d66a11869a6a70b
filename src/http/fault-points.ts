import type { FaultPoint } from '../faults/fault-point.ts';
import { paidWork } from '../faults/paid-work.ts';
import type { Operation } from './operation.ts';

/** Reads of the CDN belong to the account whose file is read. */
const CDN: FaultPoint = {
  surface: 'cdn',
  path: '/cdn/*',
  methods: ['GET', 'HEAD'],
  announces: false,
  hasTexts: false,
  hasAccount: true,
};

/** Where fault rules can strike: the operations of the service and of flows, and the reads of the CDN. */
export function faultPoints(operations: readonly Operation[]): FaultPoint[] {
  const points = operations.map((operation) => ({
    surface: 'service' as const,
    path: operation.path,
    methods: [operation.method],
    paid: operation.paid,
    announces: announces(operation),
    hasTexts: operation.body !== undefined,
    hasAccount: operation.access !== 'public' || operation.owner !== undefined,
  }));
  return [...points, CDN];
}

/** Whether what an operation starts tells webhooks of its end. */
export function announces({ paid, announces: always }: Operation): boolean {
  return always === true || (paid !== undefined && paidWork(paid).announces === true);
}
