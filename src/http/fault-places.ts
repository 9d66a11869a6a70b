import type { FaultPlace } from '../faults/fault-place.ts';
import { paidWork } from '../faults/paid-work.ts';
import type { Operation } from './operation.ts';

/** Reads of the CDN belong to the account whose file is read. */
const CDN: FaultPlace = {
  surface: 'cdn',
  path: '/cdn/*',
  methods: ['GET', 'HEAD'],
  announces: false,
  hasTexts: false,
  hasAccount: true,
};

/** Where fault rules can strike: the operations of the service and of flows, and the reads of the CDN. */
export function faultPlaces(operations: readonly Operation[]): FaultPlace[] {
  const places = operations.map((operation) => ({
    surface: 'service' as const,
    path: operation.path,
    methods: [operation.method],
    paid: operation.paid,
    announces: announces(operation),
    hasTexts: operation.body !== undefined,
    hasAccount: operation.access !== 'public' || operation.owner !== undefined,
  }));
  return [...places, CDN];
}

/** Whether what an operation starts tells webhooks of its end. */
export function announces({ paid, announces: always }: Operation): boolean {
  return always === true || (paid !== undefined && paidWork(paid).announces === true);
}
