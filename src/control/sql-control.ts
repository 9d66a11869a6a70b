import { z } from 'zod';
import { optional, text } from '../http/field-schemas.ts';
import { operation } from '../http/operation.ts';

const MOST_PARAMS = 1000;

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** The rows of a statement; `truncated` where there were more than it answers. */
const sqlAnswer = z.strictObject({
  columns: z.array(z.string()),
  rows: z.array(z.record(z.string(), z.unknown())),
  truncated: z.boolean(),
  duration_ms: z.int(),
});

export const querySql = operation({
  name: 'querySql',
  method: 'POST',
  path: '/_emulator/sql',
  summary: 'One statement that only reads, against the database of the emulator.',
  access: 'local',
  bodyLimit: 1_048_576,
  body: z.object({
    sql: text({ min: 1, max: 100_000 }).describe('one statement that reads, such as a SELECT.'),
    params: optional(z.union([z.array(scalar).max(MOST_PARAMS), z.record(z.string(), scalar)])).describe(
      'an array for ?, or an object for :name, of texts, numbers, booleans and nulls.',
    ),
  }),
  answer: sqlAnswer,
  async handle({ context, body, gone }) {
    const { clock, sql: processor } = context;
    const began = clock.real();
    const rows = await processor.read({ sql: body.sql, params: body.params ?? [] }, gone);
    return { ...rows, duration_ms: clock.real() - began };
  },
});
