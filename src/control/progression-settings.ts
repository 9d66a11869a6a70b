import { z } from 'zod';
import { invalidRequestError } from '../base/errors.ts';
import { optional } from '../base/schemas.ts';
import { type JobProgression, PROGRESSION_MODES, type ProgressionMode } from '../engine/jobs/job-store.ts';
import { packFieldWithReason } from '../service/http/field-list.ts';

const MAX_SECONDS = 3_200_000_000;
const MAX_POLLS = 1_000_000;

const WHAT_VALUE: Partial<Record<ProgressionMode, string>> = {
  seconds: `a number of seconds from 0 to ${MAX_SECONDS}, by the emulator's clock`,
  polls: `a whole number of polls from 1 to ${MAX_POLLS}`,
};

export const progressionSettingsSchema = z.object({ mode: z.enum(PROGRESSION_MODES), value: optional(z.number()) });

/** Returns null for the mode null. Warns of a value that the mode does not use; `param` is the value's field. */
export function requireProgression(
  call: { warn(field: string): void },
  { mode, value }: { mode: ProgressionMode | null; value?: number | undefined },
  param = 'value',
): JobProgression | null {
  const what = mode && WHAT_VALUE[mode];
  if (!what) {
    if (value !== undefined) call.warn(packFieldWithReason(param, `mode=${mode}`));
    return mode && { mode, value: null };
  }
  const isFit =
    value !== undefined &&
    (mode === 'seconds'
      ? value >= 0 && value <= MAX_SECONDS
      : Number.isInteger(value) && value >= 1 && value <= MAX_POLLS);
  if (isFit) return { mode, value };
  const fault = value === undefined ? 'is missing' : `is ${value}`;
  throw invalidRequestError(param, `${param} ${fault}. The mode ${mode} requires ${what}.`);
}
