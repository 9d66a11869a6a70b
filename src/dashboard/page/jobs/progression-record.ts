export type { ProgressionRecord } from '../../../control/progression-control.ts';
