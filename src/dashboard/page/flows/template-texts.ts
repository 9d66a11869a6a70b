import type { FlowStep, StepType } from './flow-records.ts';

const INPUT = /\{\{\s*inputs\.([\w$-]+(?:\.[\w$-]+)*)\s*\}\}/g;
const STEP = /(\{\{\s*steps\.)(\d+)(\.(?:text|url)\s*\}\})/g;

/** The inputs that the templates of a flow read, in the order in which they stand: `topic`, `order.items.0`. */
export function inputsRead(steps: readonly FlowStep[]): string[] {
  const text = JSON.stringify(steps.map(({ params }) => params));
  return [...new Set([...text.matchAll(INPUT)].map(([, name = '']) => name))];
}

/** Steps whose templates read other numbers: `numberOf` tells the new one of an old one, 0 where there is none any more. */
export function renumbered(steps: readonly FlowStep[], numberOf: (old: number) => number): FlowStep[] {
  return steps.map((step) => ({
    ...step,
    params: mapTexts(step.params, (text) =>
      text.replace(STEP, (_, before, number, after) => before + numberOf(Number(number)) + after),
    ) as FlowStep['params'],
  }));
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, mapTexts(field, change)]));
}

/** What a template can be completed to. */
export interface TemplateOption {
  template: string;
  /** Where it comes from. */
  note: string;
}

/** What the step at a position can read: earlier steps, and the inputs of a run. */
export function templatesFor(steps: readonly FlowStep[], position: number): TemplateOption[] {
  const ofSteps = steps.slice(0, position).flatMap(({ nodeId, type }, earlier) =>
    fieldsLeft(type).map((field) => ({
      template: `{{steps.${earlier + 1}.${field}}}`,
      note: nodeId,
    })),
  );
  const names = inputsRead(steps);
  const ofInputs = (names.length > 0 ? names : ['topic']).map((name) => ({
    template: `{{inputs.${name}}}`,
    note: 'given to the run',
  }));
  return [...ofSteps.reverse(), ...ofInputs];
}

function fieldsLeft(type: StepType): string[] {
  if (type === 'post') return ['text', 'url'];
  return type === 'text' ? ['text'] : ['url'];
}

/** The template that is being written before a place in a text: where it begins, and what of it is there. */
export function openTemplate(text: string, caret: number): { from: number; typed: string } | undefined {
  const from = text.lastIndexOf('{{', caret - 1);
  if (from === -1 || from + 2 > caret) return undefined;
  const typed = text.slice(from + 2, caret);
  return /^[\s\w$.-]*$/.test(typed) ? { from, typed: typed.trim() } : undefined;
}
