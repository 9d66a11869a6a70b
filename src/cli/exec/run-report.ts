import { type SpendBaseline, spendDifferenceLines } from '../../check/spend.ts';
import { EXIT_CODES } from '../process-end.ts';
import type { RunFailures } from './run-failures.ts';
import { evaluateGates, type GateFlags, type GateResult } from './run-gates.ts';
import type { RunSummary } from './run-summary.ts';

export interface CommandResult {
  command: string;
  /** If a signal ended the command, 128 plus its number, as in a shell. */
  exit_code: number;
  /** The last lines that the command printed. Empty if the command succeeded. */
  output: readonly string[];
}

interface Comparison {
  file: string;
  /** Null if the baseline file does not exist yet. */
  difference: string[] | null;
}

export interface RunReport extends RunSummary, CommandResult {
  gates: GateResult[];
  failures: RunFailures;
  /**
   * The comparison with the baseline. Null without `--baseline`, in the baseline file, and in the run that writes the
   * first baseline.
   */
  baseline: Comparison | null;
  /** How to see the whole run. Null if the command succeeded. */
  hint: string | null;
}

export interface ReportFlags extends GateFlags {
  baseline?: string;
  updateBaseline?: boolean;
  trace?: string;
  traceOn?: 'failure' | 'always' | 'never';
  keep?: string;
}

interface RunParts {
  counts: RunSummary;
  ended: CommandResult;
  failures: RunFailures;
  earlier: SpendBaseline | undefined;
}

export function makeRunReport({ counts, ended, failures, earlier }: RunParts, flags: ReportFlags): RunReport {
  const { baseline: file, updateBaseline } = flags;
  const difference = earlier ? spendDifferenceLines(counts, earlier) : null;
  const isCompared = file !== undefined && (difference !== null || !updateBaseline);
  return {
    ...counts,
    ...ended,
    gates: evaluateGates({ report: counts, baseline: earlier }, flags),
    failures,
    baseline: isCompared ? { file, difference } : null,
    hint: ended.exit_code === EXIT_CODES.success ? null : hintOf(flags),
  };
}

function hintOf({ trace, traceOn, keep }: ReportFlags): string {
  const places = [
    ...(trace === undefined || traceOn === 'never' ? [] : [`${trace} shows the whole run`]),
    ...(keep === undefined ? [] : [`to continue from this state, run svc-emulator start --data-dir ${keep}`]),
  ];
  const offer = '--trace FILE shows the whole run, --keep FOLDER keeps it for svc-emulator start --data-dir FOLDER';
  return places.join(', ') || offer;
}

export function gateComplaints({ gates }: Pick<RunReport, 'gates'>): string[] {
  return gates.flatMap(({ complaint }) => complaint ?? []);
}

export function hasRunPassed(report: RunReport): boolean {
  return report.exit_code === EXIT_CODES.success && gateComplaints(report).length === 0;
}
