import type { FaultPlace } from '../faults/fault-place.ts';
import type { Operation } from './operation.ts';

/** Reads of the CDN belong to the account whose file is read. */
const CDN: FaultPlace = { path: '/cdn/*', hasTexts: false, hasAccount: true };

/** Where fault rules can strike: the operations of the service, and the reads of its bytes. */
export function faultPlaces(operations: readonly Operation[]): FaultPlace[] {
  const places = operations.map(({ path, paid, body, access }) => ({
    ...{ path, paid },
    hasTexts: body !== undefined,
    hasAccount: access !== 'public',
  }));
  return [...places, CDN];
}
