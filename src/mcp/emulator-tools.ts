import { z } from 'zod';
import type { ControlConnection } from '../client/control-connection.ts';
import { CONTROL } from '../control/control-routes.ts';
import { InputReader } from '../http/input.ts';
import type { Operation } from '../http/operation.ts';

/** One operation of the control surface as a tool of an assistant. */
export interface EmulatorTool {
  name: string;
  description: string;
  /** The parameters of its path, its query and its body, as one strict object. */
  input: z.ZodObject;
  isReadOnly: boolean;
  /** Throws `invalid_request` for an argument that it does not know, naming the nearest. */
  call(control: ControlConnection, given: Record<string, unknown>): Promise<unknown>;
}

/** What an assistant calls by another word than the operation. */
const NAMES: Record<string, string> = {
  listUsage: 'read_ledger',
  createFault: 'add_fault',
  getClock: 'read_clock',
  topUpCredits: 'top_up',
  deleteFaults: 'remove_faults',
  deleteFault: 'remove_fault',
  judgeClient: 'verdict',
};

/** How many records of a list an assistant reads unless it asks for more. */
const MANY = 50;

/** Every operation of the control surface that takes and answers JSON, in the order of its routes. */
export const EMULATOR_TOOLS: readonly EmulatorTool[] = CONTROL.filter(isTool).map(toolOf);

function isTool({ access, stream, answer, name }: Operation): boolean {
  return (
    access === 'local' && !stream && (typeof answer !== 'string' || answer === 'nothing') && name !== 'openSession'
  );
}

function toolOf(operation: Operation): EmulatorTool {
  const { name, method, path, summary } = operation;
  const places = placesIn(path);
  const query = shapeOf(operation.query);
  const body = shapeOf(operation.body);
  const ids = Object.fromEntries(places.map((place) => [place.argument, z.string().describe('what the path names.')]));
  const input = z.strictObject({ ...ids, ...query, ...body });
  const reader = new InputReader(input);
  return {
    name: NAMES[name] ?? name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    description: summary,
    input,
    isReadOnly: method === 'GET',
    call(control, given) {
      reader.readKnown(given);
      const filled = places.reduce(
        (text, { parameter, argument }) => text.replace(`:${parameter}`, encodeURIComponent(String(given[argument]))),
        path.slice('/_emulator'.length),
      );
      const page = 'limit' in query ? { limit: MANY, ...given } : given;
      const order = { query: picked(page, query), body: operation.body ? picked(given, body) : undefined };
      return control.send(method, filled, order);
    },
  };
}

/** `:id` of `/accounts/:id/keys` is the argument `account_id`. */
function placesIn(path: string): { parameter: string; argument: string }[] {
  return [...path.matchAll(/\/([\w-]+)\/:(\w+)/g)].map(([, of = '', parameter = '']) => ({
    parameter,
    argument: parameter === 'id' ? `${of === 'explain' ? 'request' : singular(of)}_id` : parameter,
  }));
}

function singular(word: string): string {
  return word.replace(/ies$/, 'y').replace(/s$/, '');
}

function shapeOf(schema: z.ZodType | undefined): z.ZodRawShape {
  return schema instanceof z.ZodObject ? schema.shape : {};
}

function picked(given: Record<string, unknown>, shape: z.ZodRawShape): Record<string, unknown> {
  return Object.fromEntries(Object.entries(given).filter(([name, value]) => name in shape && value !== undefined));
}
