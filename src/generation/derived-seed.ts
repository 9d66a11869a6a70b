import { hash } from 'node:crypto';

/** The seed of a request that gives none, 0 to 4294967295: the same for the same request. */
export function derivedSeed(...decisive: unknown[]): number {
  return Number.parseInt(hash('sha256', JSON.stringify(decisive), 'hex').slice(0, 8), 16);
}
