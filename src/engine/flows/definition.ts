import { EmulatorError, invalid } from '../../base/errors.ts';
import type { StepKinds, StepParams, StepType } from './run.ts';
import { hasTemplate, parseTemplate, type Reference, TemplateFault } from './template.ts';

/** `params` may have templates. */
export interface FlowStep {
  nodeId: string;
  type: StepType;
  params: StepParams;
}

/**
 * Templates may read only the outputs of earlier steps. Returns the paths of unknown fields. Throws `invalid_request` or
 * `model_not_found` with the step and the field.
 */
export function checkSteps(steps: readonly FlowStep[], kinds: StepKinds): string[] {
  requireNames(steps);
  return steps.flatMap((step, position) => {
    try {
      return checkStep(steps, position, kinds);
    } catch (error) {
      throw error instanceof EmulatorError ? atStep(error, step, position) : error;
    }
  });
}

function checkStep(steps: readonly FlowStep[], position: number, kinds: StepKinds): string[] {
  const step = steps[position];
  if (!step) return [];
  const open = new Set<string>();
  for (const { path, text } of textsIn(step.params)) {
    for (const reference of referencesIn(text, path)) requireKnown(reference, steps, position, path);
    open.add(path);
  }
  const isOpen = (path: readonly PropertyKey[]) => path.some((_, end) => open.has(path.slice(0, end + 1).join('.')));
  const unknown = kinds[step.type].check(step.params, isOpen);
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
  return invalid(
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
    throw invalid(path, `${path}: ${error.message}; ${KNOWN_TEMPLATES}`);
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
    throw invalid(path, `${path} reads ${source}; a step reads only earlier steps, and ${earlier}.`);
  }
  if (!leaves(read).includes(field)) {
    throw invalid(
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
