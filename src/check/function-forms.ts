import type { CheckReport } from './check-report.ts';
import type { CheckOptions } from './check-settings.ts';
import type { StoryParts } from './runner/function-runner.ts';
import { ReportError } from './runner/runner.ts';
import type { MutateOptions } from './tests/mutate-settings.ts';
import type { MutateReport } from './tests/report-schema.ts';

/** What the function form takes: the flags in camel case, and what the user knows at the end of each run. */
export interface CheckFunctionOptions extends Omit<CheckOptions, 'again' | 'shard'> {
  /** `app` and `tests` where it is left out. */
  parts?: readonly ('app' | 'tests')[];
  /** Throws where the state at the end of a run is not as it should be. */
  assert?: (parts: StoryParts) => unknown;
  /** The app's own state at the end of a run, as JSON has it. */
  probe?: (parts: StoryParts) => unknown;
}

/** The broken statements, as the message of an error; `report` is what `--report` writes. */
export class CheckFindings extends ReportError<CheckReport> {
  override name = 'CheckFindings';
}

/** What the function form takes: the flags in camel case, and what the user knows at the end of each run. */
export interface MutateFunctionOptions extends MutateOptions {
  /** Throws where the state at the end of a run is not as it should be. */
  check?: (parts: StoryParts) => unknown;
  /** The app's own state at the end of a run, as JSON has it. */
  probe?: (parts: StoryParts) => unknown;
  /** Noticed in a hundred of what reached a test, by family: survivors of other families are let pass, too. */
  min?: Readonly<Record<string, number>>;
}

/** The lies that a story does not notice, as the message of an error; `report` is what `--report` writes. */
export class MutateSurvivors extends ReportError<MutateReport> {
  override name = 'MutateSurvivors';
}
