import { z } from 'zod';
import { InputReader } from '../../service/http/input.ts';
import type { Operation } from '../../service/http/operation.ts';
import { sendOperation } from '../call-operation.ts';
import type { ControlConnection } from '../control-connection.ts';
import { CONTROL } from '../control-routes.ts';
import { jsonSchema } from '../openapi/json-schema.ts';

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

/** Tools whose name does not follow from the operation's. */
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
const LIST_LIMIT = 50;

/** Every operation of the control surface that takes and answers JSON, in the order of its routes. */
export const OPERATION_TOOLS: readonly EmulatorTool[] = CONTROL.filter(isTool).map(toolOf);

function isTool({ access, stream, answer, name }: Operation): boolean {
  const isJson = typeof answer !== 'string' || answer === 'nothing';
  return access === 'local' && !stream && isJson && name !== 'openSession';
}

function toolOf(operation: Operation): EmulatorTool {
  const { name, method, path: route, summary } = operation;
  const parameters = pathArguments(route);
  const ids = Object.fromEntries(
    [...parameters.keys()].map((each) => [each, z.string().describe('what the path names.')]),
  );
  const query = shapeOf(operation.query);
  const input = z.strictObject({ ...ids, ...query, ...shapeOf(operation.body) });
  const reader = new InputReader(input);
  return {
    name: NAMES[name] ?? name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    description: summary,
    input,
    isReadOnly: method === 'GET',
    call(control, given) {
      reader.readKnown(given);
      const wanted = Object.entries('limit' in query ? { limit: LIST_LIMIT, ...given } : given);
      const fields = Object.fromEntries(
        wanted.map(([argument, value]) => [parameters.get(argument) ?? argument, value]),
      );
      return sendOperation(name, fields, control.transport);
    },
  };
}

/** The parameters of a path by the names of their arguments: `:id` of `/accounts/:id/keys` is `account_id`. */
function pathArguments(route: string): Map<string, string> {
  const parameters = [...route.matchAll(/\/([\w-]+)\/:(\w+)/g)];
  return new Map(
    parameters.map(([, resource = '', parameter = '']) => [
      parameter === 'id' ? `${resource === 'explain' ? 'request' : singular(resource)}_id` : parameter,
      parameter,
    ]),
  );
}

function singular(word: string): string {
  return word.replace(/ies$/, 'y').replace(/s$/, '');
}

function shapeOf(schema: z.ZodType | undefined): z.ZodRawShape {
  return schema instanceof z.ZodObject ? schema.shape : {};
}

const descriptions = new WeakMap<EmulatorTool, ReturnType<typeof describe>>();

/** The tools as clients read them, each described once: describing all takes tens of milliseconds. */
export function listed(tools: readonly EmulatorTool[]): ReturnType<typeof describe>[] {
  return tools.map((tool) => {
    const made = descriptions.get(tool) ?? describe(tool);
    descriptions.set(tool, made);
    return made;
  });
}

function describe({ name, description: text, input, isReadOnly }: EmulatorTool) {
  const inputSchema = { ...jsonSchema(input, 'input'), type: 'object' as const };
  return { name, description: text, inputSchema, annotations: { readOnlyHint: isReadOnly } };
}
