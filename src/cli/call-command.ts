import type { Command } from 'commander';
import { DEFAULT_URL } from '../base/config/config-options.ts';
import { EmulatorError, quoted } from '../base/errors.ts';
import { readPlainFile } from '../base/files/plain-file.ts';
import { describeSystemError } from '../base/system-error.ts';
import { groupBy } from '../base/text.ts';
import { sendOperation } from '../control/call-operation.ts';
import type { CallableOperation } from '../control/callable-operations.ts';
import type { JsonSchema } from '../control/openapi/json-schema.ts';
import { formatPathTemplate } from '../service/unknown-path.ts';
import { usageError } from './process-end.ts';
import { createCommandWithAddress, notAnEmulatorError, type RemoteFlags, withEmulatorConnection } from './remote.ts';
import { print } from './terminal-output.ts';

const EXAMPLES = `
Write a field as name=value. Write the value of a string field as it is, and any other value as JSON. name=@FILE reads the
value from a file, and @FILE alone reads a JSON object of fields. Examples:

  svc-emulator call createAccount name=mine credits=70
  svc-emulator call createFault effect='{"status": 503}' match='{"path": "/v1/music"}'
  svc-emulator call advanceClock seconds=3600
  svc-emulator call createFlow @flow.json

Exit codes: 0 on success, 1 if the emulator rejects the request or is not running, 2 on incorrect usage.`;

interface CallFlags extends RemoteFlags {
  list?: boolean;
  help?: boolean;
}

type Fields = Record<string, unknown>;

export function createCallCommand(): Command {
  return createCommandWithAddress(
    'call',
    'call a control operation of a running emulator and print its response as JSON',
  )
    .argument('[operation]', 'a control operation, such as createAccount')
    .argument('[field=value...]', 'the fields of the request')
    .helpOption(false)
    .option('--list', 'list all control operations')
    .option('-h, --help', 'print this help, or the fields of an operation')
    .addHelpText('after', EXAMPLES)
    .action(call);
}

async function call(name: string | undefined, words: string[], flags: CallFlags, command: Command): Promise<void> {
  if (flags.list) return print(await operationLines());
  if (name === undefined) {
    if (flags.help) command.help();
    throw usageError(
      'Name an operation, as in svc-emulator call getClock; svc-emulator call --list prints all of them.',
    );
  }
  const operation = await operationNamed(name);
  const schema = await inputSchema(operation);
  if (flags.help) return print(fieldLines(operation, schema));
  const input = inputOf(operation, schema, words);
  const response = await withEmulatorConnection(flags, async ({ transport, url }) => {
    const received = await sendOperation(name, input, transport);
    if (isResponseOf(operation, received)) return received;
    throw notAnEmulatorError(url);
  });
  if (response !== undefined) print(`${typeof response === 'string' ? response : JSON.stringify(response, null, 2)}\n`);
}

function isResponseOf({ answer }: CallableOperation, received: unknown): boolean {
  if (typeof answer !== 'string') return answer.safeParse(received).success;
  return typeof received === (answer === 'nothing' ? 'undefined' : 'string');
}

async function operationNamed(name: string): Promise<CallableOperation> {
  const { requireCallableOperation } = await import('../control/callable-operations.ts');
  try {
    return requireCallableOperation(name);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const hint = (await serviceHint(name)) ?? `${error.message} svc-emulator call --list prints all of them.`;
    throw usageError(hint);
  }
}

async function serviceHint(name: string): Promise<string | undefined> {
  const { SERVICE_OPERATIONS } = await import('../service/api/routes.ts');
  const { WELL_KNOWN_KEY } = await import('../engine/accounts/accounts.ts');
  const operation = SERVICE_OPERATIONS.find((each) => each.name === name);
  if (!operation) return undefined;
  return (
    `${name} is an operation of the service, and call sends only control operations. ` +
    `Send it with curl: curl -X ${operation.method} -H 'authorization: Bearer ${WELL_KNOWN_KEY}' '${DEFAULT_URL}${formatPathTemplate(operation.path)}'`
  );
}

async function operationLines(): Promise<string> {
  const { CALLABLE_OPERATIONS } = await import('../control/callable-operations.ts');
  const width = Math.max(...CALLABLE_OPERATIONS.map(({ name }) => name.length)) + 2;
  const bySubject = groupBy(CALLABLE_OPERATIONS, ({ subject }) => subject);
  const blocks = [...bySubject].map(([subject, operations]) => {
    const lines = operations.map(({ name, summary }) => `  ${name.padEnd(width)}${summary}\n`);
    return `${subject}\n${lines.join('')}`;
  });
  return blocks.join('\n');
}

interface InputSchema {
  properties: Record<string, JsonSchema>;
  required: readonly string[];
}

async function inputSchema({ input }: CallableOperation): Promise<InputSchema> {
  const { toJsonSchema } = await import('../control/openapi/json-schema.ts');
  const { properties = {}, required = [] } = toJsonSchema(input, 'input') as Partial<InputSchema>;
  return { properties, required };
}

function fieldLines({ name, method, path, summary }: CallableOperation, schema: InputSchema): string {
  const fields = Object.entries(schema.properties).map(([field, described]) => {
    const need = schema.required.includes(field) ? ', required' : '';
    const text = described.description === undefined ? '' : `  ${described.description}`;
    return `  ${field} (${typeText(described)}${need})${text}\n`;
  });
  const listed = fields.length > 0 ? `\nFields:\n${fields.join('')}` : '\nIt has no fields.\n';
  return `${name}: ${method} ${formatPathTemplate(path)}\n${summary}\n${listed}`;
}

const TYPES: Partial<Record<string, string>> = {
  ...{ integer: 'a whole number', number: 'a number', boolean: 'true or false', string: 'a text' },
  ...{ object: 'a JSON object', array: 'a JSON array' },
};

function typeText(described: JsonSchema): string {
  return [...typesOf(described)].join(' or ') || 'any JSON';
}

/** The types that the schema allows, without `null`. Empty if the schema names no type. */
function typesOf({ type, anyOf, oneOf }: JsonSchema): Set<string> {
  const members = [anyOf, oneOf].flat().filter((each) => each !== undefined) as JsonSchema[];
  const all = [type, ...members.flatMap((each) => [...typesOf(each)])].flat();
  return new Set(all.filter((each): each is string => typeof each === 'string' && each !== 'null'));
}

function acceptsNull({ anyOf }: JsonSchema): boolean {
  return Array.isArray(anyOf) && anyOf.some(({ type }) => type === 'null');
}

function inputOf(operation: CallableOperation, schema: InputSchema, words: readonly string[]): Fields {
  // Uses `Object.fromEntries`, because an assignment to `__proto__` would set the prototype.
  const fields: Fields = Object.fromEntries(words.flatMap((word) => Object.entries(fieldsOf(word, schema))));
  try {
    operation.check(fields);
    return fields;
  } catch (error) {
    if (!(error instanceof EmulatorError)) throw error;
    throw usageError(`${error.message} svc-emulator call ${operation.name} --help prints its fields.`);
  }
}

function fieldsOf(word: string, schema: InputSchema): Fields {
  if (word.startsWith('@')) return objectIn(word.slice(1));
  const [, field, text = ''] = /^([^=]+)=(.*)$/s.exec(word) ?? [];
  if (field === undefined) throw usageError(`${quoted(word)} is not a field; expected name=value, or @FILE.`);
  return { [field]: readValue(text.startsWith('@') ? fileText(text.slice(1), field) : text, field, schema) };
}

function readValue(text: string, field: string, { properties, required }: InputSchema): unknown {
  const described = (Object.hasOwn(properties, field) ? properties[field] : undefined) ?? { type: 'string' };
  if (text === 'null' && required.includes(field) && acceptsNull(described)) return null;
  const types = typesOf(described);
  if (types.size === 1 && types.has('string')) return text;
  try {
    return JSON.parse(text);
  } catch (error) {
    if (types.has('string')) return text;
    const reason = types.has('object') || types.has('array') ? `: ${Object(error).message}` : '';
    const expected = [...types].map((type) => TYPES[type] ?? type).join(' or ');
    throw usageError(`${field} is ${quoted(text)}; expected ${expected || 'JSON'}${reason}.`);
  }
}

function objectIn(file: string): Fields {
  const text = fileText(file, 'The argument');
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  } catch (error) {
    throw usageError(`${file} is not JSON: ${Object(error).message}. Expected a JSON object of fields.`);
  }
  throw usageError(`${file} does not contain a JSON object of fields.`);
}

function fileText(file: string, what: string): string {
  try {
    return readPlainFile(file);
  } catch (error) {
    throw usageError(`${what} names the file ${quoted(file)}, which cannot be read: ${describeSystemError(error)}.`);
  }
}
