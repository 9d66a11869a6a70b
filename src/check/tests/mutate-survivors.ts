import type { StoryParts } from '../runner/function-runner.ts';
import { ReportError } from '../runner/report-error.ts';
import type { MutateOptions } from './mutate-settings.ts';
import type { MutateReport } from './report-schema.ts';

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
