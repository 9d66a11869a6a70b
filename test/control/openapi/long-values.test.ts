import { expect, it } from 'vitest';
import { type Answer, world } from '../../support/world.ts';
import { DocumentAnswers, type DocumentedOperation } from './document-answers.ts';
import { type Schema, SeededValues } from './seeded-values.ts';

const LONG = 'x'.repeat(2000);

const emulator = await world();
const { key } = await emulator.account({ credits: 0 });

/** Bodies of the required fields, and of one text that is too long: one for each text that the schema has. */
function longBodies(schema: Schema): unknown[] {
  const { properties = {}, required = [] } = schema;
  const isText = ({ type, anyOf = [] }: Schema): boolean => [type].flat().includes('string') || anyOf.some(isText);
  const values = new SeededValues(1, 0);
  const base = Object.fromEntries(required.map((name) => [name, values.value(properties[name] ?? {})]));
  return Object.entries(properties).flatMap(([name, field]) => [
    ...(isText(field) ? [{ ...base, [name]: LONG }] : []),
    ...longBodies(field).map((long) => ({ ...base, [name]: long })),
  ]);
}

/** Each parameter of an operation and each text of its body, too long, one at a time. */
async function refusals({ method, path: pattern, parameters, requestBody }: DocumentedOperation): Promise<Answer[]> {
  const where = pattern.replaceAll(/\{\w+\}/g, LONG);
  const queries = parameters.filter((each) => each.in === 'query').map(({ name }) => `${where}?${name}=${LONG}`);
  const bodies = longBodies(requestBody?.content['application/json']?.schema ?? {});
  const headers = { authorization: `Bearer ${key}` };
  const calls = [
    ...[where, ...queries].map((url) => ({ url, body: undefined })),
    ...bodies.map((body) => ({ url: where, body })),
  ];
  return Promise.all(calls.map(({ url, body }) => emulator.call(method, url, body, headers)));
}

it('repeats no more of a value that it refuses than a person reads [I005]', async () => {
  const documents = await Promise.all(
    ['/openapi.json', '/_emulator/openapi.json'].map((file) => emulator.call('GET', file)),
  );
  const operations = documents.flatMap(({ body }) => new DocumentAnswers(body).operations);
  const isEndless = ({ operationId }: DocumentedOperation) => /live|reset/i.test(operationId);
  const messages: string[] = [];
  for (const operation of operations.filter((each) => !isEndless(each)))
    for (const { status, body } of await refusals(operation))
      if (status >= 400) messages.push(`${operation.operationId}: ${status} ${body?.error?.message}`);
  expect(messages.length).toBeGreaterThan(240);
  expect(messages.filter((message) => message.length > 1000 || /: 5/.test(message.slice(0, 40)))).toEqual([]);
}, 60_000);
