import { z } from 'zod';
import { baselineText, excuse } from '../read-baseline.ts';
import { lie, mutateReport, unitMarks } from './report-schema.ts';

/** A survivor that is let pass; written by hand. In `lie` `*` is any text; `LIE@SITE` is of one site. */
export const acceptedLie = z.object({ lie: baselineText, unit: baselineText, ...excuse });

/** What is remembered of a lie at a unit; `alone`: a survivor that was run with no other lie. */
const rememberedLie = lie
  .pick({ lie: true, field: true, family: true, site: true, unit: true, verdict: true, harm: true })
  .extend({ alone: z.boolean().optional() })
  .strip();

/** The file of `--baseline`: committed, and written by `--update-baseline`. */
export const baselineFile = z.object({
  version: z.string().default(''),
  /** By unit: what it asked for, and what its file contained. */
  units: z.record(z.string(), unitMarks).default({}),
  lies: z.array(rememberedLie).default([]),
  families: mutateReport.shape.families.default({}),
  accepted: z.array(acceptedLie).default([]),
});

export type Accepted = z.infer<typeof acceptedLie>;
export type RememberedLie = z.infer<typeof rememberedLie>;
export type BaselineFile = z.infer<typeof baselineFile>;

export const EMPTY_BASELINE = { units: {}, lies: [], families: {}, accepted: [] } satisfies Omit<
  BaselineFile,
  'version'
>;
