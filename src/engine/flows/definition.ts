import { EmulatorError, invalidRequestError } from '../../base/errors.ts';
import type { FlowRunPayer } from '../generation/place-order.ts';

export const STEP_TYPES = ['text', 'image', 'video', 'music', 'speech', 'post'] as const;
export type StepType = (typeof STEP_TYPES)[number];

export const OUTPUT_KINDS = ['text', 'image', 'video', 'audio', 'post'] as const;
export type OutputKind = (typeof OUTPUT_KINDS)[number];

export type StepParams = Record<string, unknown>;

/** Whether the value at a path is known only when the step starts. */
export type IsValueDeferred = (path: readonly PropertyKey[]) => boolean;

export interface StepDefinition {
  output: OutputKind;
  /**
   * Checks the params, except values that are known only when the step starts. Returns the paths of unknown fields.
   * Throws `invalid_request` or `model_not_found`; the `param` of the error is relative to the params.
   */
  check(params: StepParams, isDeferred: IsValueDeferred): string[];
  /**
   * Places the order as the step's operation does. The step starts when the order is placed; this does not wait for its
   * end. A post orders nothing.
   */
  order(params: StepParams, payer: FlowRunPayer): Promise<unknown>;
}

export type StepDefinitions = Readonly<Record<StepType, StepDefinition>>;

export type StepOutputDefinitions = Readonly<Record<StepType, Pick<StepDefinition, 'output'>>>;

export function ignoreDeferredValueErrors(isDeferred: IsValueDeferred, check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!isAboutDeferred(error, isDeferred)) throw error;
  }
}

function isAboutDeferred(error: unknown, isDeferred: IsValueDeferred): boolean {
  return error instanceof EmulatorError && error.param !== null && isDeferred(error.param.split('.'));
}

/** `params` may contain templates. */
export interface FlowStep {
  nodeId: string;
  type: StepType;
  params: StepParams;
}

/**
 * Checks the steps of a flow. Templates may read the inputs and the outputs of earlier steps. Returns the paths of
 * unknown fields. Throws `invalid_request` or `model_not_found` with the step and the field.
 */
export function checkFlowSteps(steps: readonly FlowStep[], definitions: StepDefinitions): string[] {
  requireNames(steps);
  return steps.flatMap((step, position) => {
    try {
      return checkStep(steps, position, definitions);
    } catch (error) {
      throw error instanceof EmulatorError ? atStep(error, step, position) : error;
    }
  });
}

function checkStep(steps: readonly FlowStep[], position: number, definitions: StepDefinitions): string[] {
  const step = steps[position];
  if (!step) return [];
  const open = new Set<string>();
  for (const { path, text } of textsIn(step.params)) {
    for (const reference of referencesIn(text, path)) requireKnown(reference, steps, position, path);
    open.add(path);
  }
  const isDeferred = (path: readonly PropertyKey[]) =>
    path.some((_, end) => open.has(path.slice(0, end + 1).join('.')));
  const unknown = definitions[step.type].check(step.params, isDeferred);
  return unknown.map((field) => `steps.${position}.params.${field}`);
}

function requireNames(steps: readonly FlowStep[]): void {
  const seen = new Map<string, number>();
  steps.forEach(({ nodeId }, position) => {
    const first = seen.get(nodeId);
    if (first !== undefined) throw sameName(nodeId, position, first);
    seen.set(nodeId, position);
  });
}

function sameName(nodeId: string, position: number, first: number): EmulatorError {
  return invalidRequestError(
    `steps.${position}.nodeId`,
    `steps.${position}.nodeId is "${nodeId.slice(0, 64)}", the same as of step ${first + 1}; give each step its own name.`,
  );
}

function textsIn(value: unknown, path: readonly string[] = []): { path: string; text: string }[] {
  if (typeof value === 'string') {
    return hasTemplate(value) ? [{ path: path.join('.'), text: value }] : [];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, field]) => textsIn(field, [...path, name]));
}

function referencesIn(text: string, path: string): Reference[] {
  try {
    return parseTemplate(text).flatMap((piece) => (typeof piece === 'string' ? [] : [piece.reference]));
  } catch (error) {
    if (!(error instanceof TemplateFault)) throw error;
    throw invalidRequestError(path, `${path}: ${error.message}; ${KNOWN_TEMPLATES}`);
  }
}

const KNOWN_TEMPLATES =
  'use {{inputs.name}}, {{steps.N.text}} or {{steps.N.url}}, where N is the number of an earlier step, from 1.';

function requireKnown(reference: Reference, steps: readonly FlowStep[], position: number, path: string): void {
  if (reference.of === 'inputs') return;
  const { step, field } = reference;
  const source = `{{steps.${step}.${field}}}`;
  const read = steps[step - 1];
  if (!read || step > position) {
    const earlier = position === 0 ? 'the first step has none' : `those are 1 to ${position}`;
    throw invalidRequestError(path, `${path} reads ${source}; a step reads only earlier steps, and ${earlier}.`);
  }
  if (!leaves(read).includes(field)) {
    throw invalidRequestError(
      path,
      `${path} reads ${source}, but step ${step} (${read.type}) leaves ${leaves(read).join(' and ') || 'nothing'}.`,
    );
  }
}

function leaves({ type, params }: FlowStep): string[] {
  if (type === 'post') return ['text', 'url'].filter((field) => params[field] != null);
  return type === 'text' ? ['text'] : ['url'];
}

function atStep(error: EmulatorError, { nodeId }: FlowStep, position: number): EmulatorError {
  const { code, param, message } = error;
  if (param?.startsWith('steps.')) return error;
  const where = `steps.${position}.params`;
  return new EmulatorError(code, `Step ${position + 1} (${nodeId}): ${message}`, {
    param: param === null ? where : `${where}.${param}`,
  });
}

type Reference = { of: 'inputs'; path: readonly string[] } | { of: 'steps'; step: number; field: 'text' | 'url' };

type Piece = string | { reference: Reference; source: string };

/** The longest template in characters, so that the search for its end stays short. */
const MAX_TEMPLATE = 200;
/** The most templates in a text, because all are parsed when the flow is validated, and again in each run. */
const MAX_TEMPLATES = 1000;
const NAME = /^[\w$-]+$/;
const STEP = /^[1-9]\d{0,3}$/;

class TemplateFault extends Error {}

/**
 * Splits a text into its plain pieces and its templates: `{{inputs.a.b}}`, `{{steps.1.text}}` and `{{steps.1.url}}`.
 * Takes linear time. Throws `TemplateFault` for another use of `{{`, and for more than 1,000 templates.
 */
export function parseTemplate(text: string): Piece[] {
  const pieces: Piece[] = [];
  let [from, count] = [0, 0];
  for (let open = text.indexOf('{{'); open !== -1; open = text.indexOf('{{', from)) {
    const near = text.slice(open, open + MAX_TEMPLATE);
    const length = near.indexOf('}}');
    if (length === -1) throw new TemplateFault(`${near.slice(0, 40)}… is not a template`);
    if (count === MAX_TEMPLATES) throw new TemplateFault(`there are more than ${MAX_TEMPLATES} templates`);
    count += 1;
    const source = near.slice(0, length + 2);
    if (open > from) pieces.push(text.slice(from, open));
    pieces.push({ reference: readReference(source), source });
    from = open + source.length;
  }
  if (from < text.length || pieces.length === 0) pieces.push(text.slice(from));
  return pieces;
}

function hasTemplate(text: string): boolean {
  return text.includes('{{');
}

function readReference(source: string): Reference {
  const [of, ...path] = source.slice(2, -2).trim().split('.');
  if (of === 'inputs' && path.length > 0 && path.every((name) => NAME.test(name))) {
    return { of, path };
  }
  const [step = '', field] = path;
  if (of === 'steps' && path.length === 2 && STEP.test(step) && isField(field)) {
    return { of, step: Number(step), field };
  }
  throw new TemplateFault(`${source} is not a template`);
}

function isField(name: string | undefined): name is 'text' | 'url' {
  return name === 'text' || name === 'url';
}

export interface TemplateSources {
  inputs: Record<string, unknown>;
  outputs: ReadonlyMap<number, { text?: string; url?: string }>;
}

/** The most characters of the filled texts of a step: as many as a JSON body may have bytes. */
const MAX_PARAMS = 32 * 1_048_576;

/**
 * Fills the templates in params. A text that is only one template becomes the value itself, such as a number or a list,
 * unless `asText` is true. Templates inside values are not filled. Throws `invalid_request` for a template without a
 * value.
 */
export function fillParams(params: StepParams, sources: TemplateSources, asText = false): StepParams {
  return fill(params, { sources, asText, room: MAX_PARAMS }) as StepParams;
}

export function fillTemplate(text: string, sources: TemplateSources): string {
  return String(fill(text, { sources, asText: true, room: MAX_PARAMS }));
}

interface Filling {
  sources: TemplateSources;
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
    if (filling.room < 0) throw invalidRequestError(null, 'The filled params are over 32 MiB; send shorter inputs.');
    return written;
  });
  return filled.join('');
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function filledValue({ reference, source }: Exclude<Piece, string>, sources: TemplateSources): unknown {
  const value = lookUp(reference, sources);
  if (value !== undefined && value !== null) return value;
  const missing =
    reference.of === 'inputs'
      ? `the inputs of this run have no "${reference.path.join('.')}"`
      : `step ${reference.step} left no ${reference.field}`;
  throw invalidRequestError(null, `${source} has no value: ${missing}.`);
}

function lookUp(reference: Reference, { inputs, outputs }: TemplateSources): unknown {
  if (reference.of === 'steps') return outputs.get(reference.step)?.[reference.field];
  return reference.path.reduce<unknown>(
    (value, name) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined,
    inputs,
  );
}
