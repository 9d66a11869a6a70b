import { z } from 'zod';
import { OPTIONS, type Option } from '../../../src/base/config/config-options.ts';

type JsonSchema = Record<string, unknown>;

/** A config file never gives a number as text, so its schema omits this pattern. */
const NUMBER_AS_TEXT = String.raw`^\d+(?:\.\d+)?$`;

export function configFileSchema(): JsonSchema {
  const rows = Object.entries(OPTIONS).filter(([name]) => name !== 'config');
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'svc-emulator.config.json',
    description: 'Options of svc-emulator. Flags win over environment variables, these over this file.',
    type: 'object',
    properties: {
      $schema: { type: 'string', description: 'where this schema is.' },
      ...Object.fromEntries(rows.map(([name, row]) => [name, described(row)])),
    },
    additionalProperties: false,
  };
}

function described(row: Option): JsonSchema {
  const { help, expected, fallback } = row;
  const schema = valueSchema(row);
  const usual = fallback === undefined ? {} : { default: asWritten(fallback, schema) };
  const text = row.negated ? `false: ${help}` : `${help}; ${expected}`;
  return { description: `${text}.`, ...schema, ...usual };
}

function valueSchema({ argument, repeatable, schema }: Option): JsonSchema {
  if (argument === undefined) return { type: 'boolean' };
  if (repeatable) return { type: 'array', items: { type: 'string' } };
  const { $schema, ...taken } = z.toJSONSchema(schema, { io: 'input', target: 'draft-7', unrepresentable: 'any' });
  if (!taken.anyOf?.some((form) => Object(form).pattern === NUMBER_AS_TEXT)) return taken;
  const { $schema: _, ...given } = z.toJSONSchema(schema, { io: 'output', target: 'draft-7' });
  return given;
}

function asWritten(fallback: string, { type }: JsonSchema): unknown {
  if (type === 'boolean') return fallback === 'true';
  if (type === 'array') return fallback === '' ? [] : fallback.split(',');
  return type === 'integer' || type === 'number' ? Number(fallback) : fallback;
}
