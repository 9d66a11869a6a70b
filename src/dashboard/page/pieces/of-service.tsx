import type { ReactNode } from 'react';
import { recordSource } from '../data/record-source.ts';

/** What can be done to an emulator: over the record of a run there is none of it. */
export function OfService({ children }: { children: ReactNode }) {
  return recordSource.value ? null : children;
}
