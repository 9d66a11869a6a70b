import { z } from 'zod';
import { nearestName } from '../config/edit-distance.ts';
import { CONTROL } from '../control/control-routes.ts';
import type { Operation } from '../http/operation.ts';
import { toCamel, toSnake } from './camel-case.ts';
import type { ControlConnection } from './control-connection.ts';
import type { AnswerOf, ItemOf, OperationName } from './control-surface.ts';

const OPERATIONS = new Map(CONTROL.map((each: Operation) => [each.name, each]));

/** Sends one operation of the control surface, and answers what came back. */
export async function carryCall(control: ControlConnection, name: string, order: object = {}): Promise<unknown> {
  const { method, path, query, body, answer } = operationNamed(name);
  const given = new Map(Object.entries(order).filter(([, value]) => value !== undefined));
  const filled = path.slice('/_emulator'.length).replace(/:(\w+)/g, (_, place: string) => {
    const value = given.get(place);
    if (value === undefined) throw new TypeError(`${name} lacks ${place}; expected what its path names.`);
    given.delete(place);
    return encodeURIComponent(String(value));
  });
  const fields = toSnake(Object.fromEntries(given), body ?? query ?? NOTHING) as Record<string, unknown>;
  const came = await control.send(method, filled, body ? { body: fields } : { query: fields });
  if (typeof answer === 'string') return undefined;
  const told = toCamel(came, answer);
  return isPlainList(told) ? told.data : told;
}

/** A record that is answered in another's place, such as a job that was waited for. */
export function asAnswerOf<Name extends OperationName>(name: Name, record: unknown): AnswerOf<Name> {
  return toCamel(record, operationNamed(name).answer as z.ZodType) as AnswerOf<Name>;
}

/** A record of a list that is answered by itself, such as a message that was waited for. */
export function asItemOf<Name extends OperationName>(name: Name, record: unknown): ItemOf<AnswerOf<Name>> {
  const { data } = toCamel({ data: [record] }, operationNamed(name).answer as z.ZodType) as { data: unknown[] };
  return data[0] as ItemOf<AnswerOf<Name>>;
}

const NOTHING = z.object({});

/** A list that says nothing beside its records. */
function isPlainList(told: unknown): told is { data: unknown[] } {
  const { object, data, ...more } = Object(told) as Record<string, unknown>;
  return object === 'list' && Array.isArray(data) && Object.keys(more).length === 0;
}

function operationNamed(name: string): Operation {
  const found = OPERATIONS.get(name);
  if (found) return found;
  throw new TypeError(`There is no operation ${name}. Did you mean ${nearestName(name, [...OPERATIONS.keys()])}?`);
}
