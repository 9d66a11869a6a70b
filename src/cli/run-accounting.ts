import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ControlConnection } from '../client/control-connection.ts';
import { printRunJunit, printRunReport } from '../run-report/print-run-report.ts';
import type { RunReport } from '../run-report/run-report.ts';
import { RunTally } from '../run-report/run-tally.ts';
import { type Baseline, readBaseline, spendDifference } from '../run-report/spend-difference.ts';
import { CommandEnd } from './command-end.ts';
import { EXIT } from './command-failure.ts';
import { withProgress } from './progress-bar.ts';

/** What a run is to be held to, and where that is to be told. */
export interface AccountingFlags {
  maxCredits?: number;
  report?: string[];
  baseline?: string;
  quiet?: boolean;
}

/** How long what is still rendered may take to be settled or given back, in seconds. */
const SETTLE_SECONDS = 5;

/** Counts what one run of `exec` costs, and tells it at the end. */
export class RunAccounting {
  readonly tally = new RunTally();
  readonly #flags: AccountingFlags;
  readonly #baseline: Baseline | undefined;
  #report: RunReport | undefined;

  /** Throws `CommandEnd` (2) for a baseline that is no report, and for a report that has no folder to go to. */
  constructor(flags: AccountingFlags) {
    this.#flags = flags;
    for (const file of flags.report ?? []) requireFolder(file);
    this.#baseline = flags.baseline === undefined ? undefined : baselineOf(flags.baseline);
  }

  /** Waits, where money matters, for renders that may yet be given back; a signal ends the wait. */
  async settle(url: string, heard: AbortSignal): Promise<void> {
    const { maxCredits, report, baseline } = this.#flags;
    if (maxCredits === undefined && report === undefined && baseline === undefined) return;
    const idle = new ControlConnection(url).get('/wait', { for: 'idle', timeout: SETTLE_SECONDS });
    const interrupted = new Promise<void>((resolve) => {
      if (heard.aborted) resolve();
      heard.addEventListener('abort', () => resolve(), { once: true });
    });
    const settled = Promise.race([idle.catch(() => undefined), interrupted]);
    await withProgress('waiting for renders', () => settled);
  }

  /** Reads what was spent, while the emulator is still there. */
  async count(): Promise<void> {
    const { makeRunReport } = await import('../run-report/run-report.ts');
    this.#report = makeRunReport(this.tally);
  }

  /** Writes and prints; answers what is to be said of a run that cost too much. */
  tell(unstruckFaults: readonly string[]): string | undefined {
    if (!this.#report) return undefined;
    const report = { ...this.#report, unstruck_faults: unstruckFaults };
    for (const file of this.#flags.report ?? []) {
      const text = file.endsWith('.xml') ? printRunJunit(report) : `${JSON.stringify(report, null, 2)}\n`;
      writeFileSync(file, text);
    }
    if (!this.#flags.quiet) this.#print(report);
    const { maxCredits = Number.POSITIVE_INFINITY } = this.#flags;
    if (report.credits <= maxCredits) return undefined;
    return `The run cost ${report.credits} credits; expected at most ${maxCredits} (--max-credits).`;
  }

  #print(report: RunReport): void {
    const lines = [printRunReport(report)];
    if (this.#baseline) {
      const difference = spendDifference(report, this.#baseline);
      lines.push(
        ...(difference.length === 0
          ? ['It cost what the baseline says.']
          : ['Against the baseline:', ...difference.map((line) => `  ${line}`)]),
      );
    } else if (this.#flags.baseline !== undefined) {
      lines.push(`There is no baseline ${this.#flags.baseline} yet; --report writes one.`);
    }
    process.stderr.write(`${lines.join('\n')}\n`);
  }
}

function requireFolder(file: string): void {
  if (existsSync(path.dirname(path.resolve(file)))) return;
  throw new CommandEnd(EXIT.wrongUse, `--report is ${file}; expected a file in a folder that exists.`);
}

/** Undefined where there is none yet. */
function baselineOf(file: string): Baseline | undefined {
  const text = readIfThere(file);
  if (text === undefined) return undefined;
  const baseline = readBaseline(text);
  if (baseline) return baseline;
  throw new CommandEnd(EXIT.wrongUse, `--baseline is ${file}; expected a JSON file that --report wrote.`);
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (Object(error).code === 'ENOENT') return undefined;
    throw new CommandEnd(EXIT.wrongUse, `--baseline is ${file}; expected a file that can be read.`);
  }
}
