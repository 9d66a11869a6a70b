import type { TraceFile } from '../../../trace/trace-file.ts';
import { PageStore } from './page-store.ts';

/** The run that was laid beside the one of this page, and the name of its file. */
export const secondRun = new PageStore<{ trace: TraceFile; file: string } | undefined>(undefined);
