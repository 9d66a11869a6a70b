import { invalid } from '../errors.ts';
import type { Params } from './step-kind.ts';
import { hasTemplate, type Piece, parseTemplate, type Reference } from './template.ts';

/** What templates are filled from: the run's inputs, and the outputs of the steps that it has done. */
export interface Sources {
  inputs: Record<string, unknown>;
  /** By the number of the step. */
  outputs: ReadonlyMap<number, { text?: string; url?: string }>;
}

/** The filled params of a step may be this long in all, in characters: as long as the largest body. */
const LONGEST = 32 * 1_048_576;

/**
 * Fills every template of a step's params. A text that is one template and nothing else becomes the very value, a
 * number or a list as it may be, unless `asText`. What was filled in is not looked at again.
 * Throws `invalid_request` that names a template without a value.
 */
export function fillParams(params: Params, sources: Sources, asText = false): Params {
  return fill(params, { sources, asText, room: LONGEST }) as Params;
}

/** Fills one text. */
export function fillText(text: string, sources: Sources): string {
  return String(fill(text, { sources, asText: true, room: LONGEST }));
}

interface Filling {
  sources: Sources;
  asText: boolean;
  room: number;
}

function fill(value: unknown, filling: Filling): unknown {
  if (typeof value === 'string') return hasTemplate(value) ? fillPieces(value, filling) : value;
  if (Array.isArray(value)) return value.map((item) => fill(item, filling));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, fill(field, filling)]));
}

function fillPieces(text: string, filling: Filling): unknown {
  const pieces = parseTemplate(text);
  const [only] = pieces;
  if (pieces.length === 1 && typeof only === 'object' && !filling.asText) {
    return filledValue(only, filling.sources);
  }
  const filled = pieces.map((piece) => {
    const written = typeof piece === 'string' ? piece : asText(filledValue(piece, filling.sources));
    filling.room -= written.length;
    if (filling.room < 0) throw invalid(null, 'The filled params are over 32 MiB; send shorter inputs.');
    return written;
  });
  return filled.join('');
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function filledValue({ reference, source }: Exclude<Piece, string>, sources: Sources): unknown {
  const value = lookUp(reference, sources);
  if (value !== undefined && value !== null) return value;
  const missing =
    reference.of === 'inputs'
      ? `the inputs of this run have no "${reference.path.join('.')}"`
      : `step ${reference.step} left no ${reference.field}`;
  throw invalid(null, `${source} has no value: ${missing}.`);
}

function lookUp(reference: Reference, { inputs, outputs }: Sources): unknown {
  if (reference.of === 'steps') return outputs.get(reference.step)?.[reference.field];
  return reference.path.reduce<unknown>(
    (value, name) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined,
    inputs,
  );
}
