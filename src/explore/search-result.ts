import type { FindingBook } from './finding-book.ts';
import { hashOf } from './search-order.ts';

/** What may be told while it goes on. */
export interface Stand {
  run: number;
  total: number;
  findings: number;
  elapsedMs: number;
}

/** What a search has come to, at its end or where something has ended it. */
export interface SearchResult {
  /** How long the plain runs took, in milliseconds: nothing else is tried before. */
  preparedMs: number;
  plain: { ms: number; steps: string[] };
  schedulesRun: number;
  schedulesLeft: number;
  schedulesHash: string;
  schedulesFollowed: number;
  findings: FindingBook['findings'];
  unstable: FindingBook['unstable'];
  byDeviation: Record<string, { run: number; failed: number }>;
}

/** What a search has come to that has not begun. */
export const NOTHING_RUN: SearchResult = {
  ...{ preparedMs: 0, plain: { ms: 0, steps: [] }, schedulesRun: 0, schedulesLeft: 0, schedulesHash: hashOf([]) },
  ...{ schedulesFollowed: 0, findings: [], unstable: [], byDeviation: {} },
};
