import type { CheckReport } from './check-report.ts';
import type { CheckOptions } from './check-settings.ts';
import type { StoryParts } from './runner/function-runner.ts';
import { ReportError } from './runner/report-error.ts';

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
