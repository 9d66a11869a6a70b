import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import { SERVICE_OPERATIONS } from '../../../src/service/api/routes.ts';
import { EXACT_RENDERS, world } from '../../support/world.ts';
import { DocumentAnswers } from './document-answers.ts';
import { recordExamples } from './example-story.ts';

/** `publicUrl` is the address that readers of the document use. */
const emulator = await world({ seed: 7, publicUrl: 'http://127.0.0.1:4600' }, EXACT_RENDERS);

it('keeps the recorded example responses of OpenAPI, such as health and invariants, equal to real responses (npx vitest run -u records them again) [I084 I136]', async () => {
  const text = `${JSON.stringify(await recordExamples(emulator), null, 2)}\n`;
  await expect(text).toMatchFileSnapshot('../../../fixtures/openapi-examples.json');
});

const operationsOf = async (path: string) => new DocumentAnswers((await emulator.call('GET', path)).body).operations;

it.each(['/openapi.json', '/_emulator/openapi.json'])(
  'shows only examples in %s that its schemas allow',
  async (path) => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const shown = (await operationsOf(path)).flatMap(({ operationId, requestBody, responses }) =>
      [requestBody, ...Object.values(responses)].flatMap((part) =>
        Object.entries(part?.content ?? {}).flatMap(([type, { schema, example, examples = {} }]) =>
          // The example of a form lacks its file, so it does not match the schema.
          (type.startsWith('multipart') ? [] : [example, ...Object.values(examples).map(({ value }) => value)]).map(
            (each) => ({ operationId, schema, example: each }),
          ),
        ),
      ),
    );
    const examples = shown.filter(({ example }) => example !== undefined);
    const wrong = examples.filter(({ schema, example }) => !ajv.validate(schema, example));
    expect(wrong.map(({ operationId }) => operationId)).toEqual([]);
    expect(examples.length).toBeGreaterThan(10);
  },
);

it('shows an example response of each operation of the service that returns JSON', async () => {
  const operations = await operationsOf('/openapi.json');
  const bare = operations.filter(({ responses }) =>
    Object.entries(responses)
      .filter(([status]) => status.startsWith('2'))
      .every(([, { content = {} }]) => content['application/json']?.example === undefined),
  );
  const silent = SERVICE_OPERATIONS.filter(({ answer }) => typeof answer === 'string').map(({ name }) => name);
  expect(bare.map(({ operationId }) => operationId)).toEqual(silent);
});
