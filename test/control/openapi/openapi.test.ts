import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, it } from 'vitest';
import { EVENT_TYPES } from '../../../src/engine/webhooks/event-schemas.ts';
import { runCommand } from '../../support/run-command.ts';
import { world } from '../../support/world.ts';

const emulator = await world();

it.each(['/openapi.json', '/_emulator/openapi.json'])('serves %s, which an OpenAPI validator accepts', async (path) => {
  const { status, body } = await emulator.call('GET', path);
  expect(status).toBe(200);
  const { valid, errors } = await new Validator().validate(body);
  expect(errors ?? []).toEqual([]);
  expect(valid).toBe(true);
});

it.each(['/openapi.json', '/_emulator/openapi.json'])(
  'serves %s as OpenAPI 3.0 too, for older generators',
  async (path) => {
    const { body } = await emulator.call('GET', `${path}?as=3.0`);
    const { valid, errors } = await new Validator().validate(structuredClone(body));
    expect([errors ?? [], valid, body.openapi]).toEqual([[], true, '3.0.3']);
    expect(body).not.toHaveProperty('webhooks');
    const text = JSON.stringify(body);
    for (const newer of ['"anyOf"', '"const"', '"type":"null"', '"type":["', '"propertyNames"', '"4XX"'])
      expect(text).not.toContain(newer);
    const refused = await emulator.call('GET', `${path}?as=2.0`);
    expect([refused.status, refused.body.error.param]).toEqual([400, 'as']);
  },
);

it('keeps optional, nullable and enumerated values in OpenAPI 3.0', async () => {
  const { body } = await emulator.call('GET', '/openapi.json?as=3.0');
  const account = body.paths['/v1/chat/completions'].post;
  const { properties, required } = account.requestBody.content['application/json'].schema;
  expect(required).toEqual(['model', 'messages']);
  expect(properties.max_tokens).toMatchObject({ type: 'integer', nullable: true });
  expect(Object.keys(account.responses)).toEqual(expect.arrayContaining(['200', '401', '402', '429', 'default']));
  const song = body.paths['/v1/music/generations/{id}'].get.responses[200].content['application/json'].schema;
  expect(song.properties.object).toEqual({ type: 'string', enum: ['music.generation'] });
});

it('renames the parameter "for" of a wait to "until" in OpenAPI 3.0, because "for" is a reserved word', async () => {
  const namesIn = async (version: string) => {
    const { body } = await emulator.call('GET', `/_emulator/openapi.json?as=${version}`);
    return body.paths['/_emulator/wait'].get.parameters.map(({ name }: { name: string }) => name);
  };
  const others = ['timeout', 'account_id', 'after', 'genuine'];
  expect([await namesIn('3.1'), await namesIn('3.0')]).toEqual([
    ['for', ...others],
    ['until', ...others],
  ]);
});

it('describes the items of the lists of fault rules and scripted answers', async () => {
  const { body } = await emulator.call('GET', '/_emulator/openapi.json');
  const recordOf = (path: string) => body.paths[path].get.responses[200].content['application/json'].schema;
  const { match, effect } = recordOf('/_emulator/faults').properties.data.items.properties;
  expect(match.properties.method.enum).toContain('POST');
  expect(match.required ?? []).toEqual([]);
  expect(effect.properties.status.type).toBe('integer');
  const fixture = recordOf('/_emulator/fixtures').properties.data.items;
  expect(fixture.required).toEqual(['id', 'source', 'uses', 'remaining']);
  expect(fixture.properties.answer.properties.text.type).toBe('string');
});

it('describes required fields, lengths of texts and limits of lists', async () => {
  const { body } = await emulator.call('GET', '/openapi.json');
  const schemaOf = (path: string) => body.paths[path].post.requestBody.content['application/json'].schema;
  expect(schemaOf('/v1/videos/generations').required).toContain('prompt');
  const prompt = schemaOf('/v1/images/generations').properties.prompt;
  expect(prompt).toMatchObject({ type: 'string', minLength: 1, maxLength: 2400 });
  expect(schemaOf('/v1/audio/speech').properties.input).toMatchObject({ minLength: 1, maxLength: 4096 });
  const [limit] = body.paths['/v1/storage/objects'].get.parameters;
  expect(JSON.stringify(limit.schema)).toContain('"type":"integer"');
  expect(JSON.stringify(limit.schema)).toMatch(/"minimum":1.*"maximum":1000/);
});

it('describes the service as version 1.0.0, with the range and default of temperature, and marks nothing as deprecated [R238 R248]', async () => {
  const { body } = await emulator.call('GET', '/openapi.json');
  expect(body.info.version).toBe('1.0.0');
  const { temperature } =
    body.paths['/v1/chat/completions'].post.requestBody.content['application/json'].schema.properties;
  expect(JSON.stringify(temperature)).toMatch(/"minimum":0.*"maximum":1.5/);
  expect(JSON.stringify(temperature)).toContain('(default: 0.8)');
  expect(JSON.stringify(body)).not.toContain('"deprecated":true');
});

it('describes all events in /openapi.json, and the errors 401, 402 and 429 with their headers', async () => {
  const { body } = await emulator.call('GET', '/openapi.json');
  expect(Object.keys(body.webhooks).toSorted()).toEqual([...EVENT_TYPES].toSorted());
  for (const [type, { post }] of Object.entries<{
    post: { requestBody?: { content: Record<string, { schema: object }> } };
  }>(body.webhooks)) {
    const { schema } = post.requestBody?.content?.['application/json'] ?? { schema: {} };
    expect(schema).toMatchObject({
      required: ['id', 'type', 'created', 'data'],
      properties: { type: { const: type } },
    });
  }
  for (const [path, methods] of Object.entries<Record<string, { responses: Record<string, { $ref?: string }> }>>(
    body.paths,
  )) {
    if (!path.startsWith('/v1/')) continue;
    for (const { responses } of Object.values(methods)) {
      for (const status of ['401', '402', '429']) {
        const name = responses[status]?.$ref?.split('/').at(-1) ?? '';
        expect(Object.keys(body.components.responses[name].headers)).toContain('x-request-id');
      }
    }
  }
  expect(body.components.responses.RateLimited.headers).toHaveProperty('retry-after');
});

it('prints both OpenAPI documents without a running emulator [I151]', async () => {
  const { body } = await emulator.call('GET', '/openapi.json');
  const printed = await runCommand(['openapi']);
  expect([printed.exitCode, JSON.parse(printed.stdout)]).toEqual([0, body]);
  const control = JSON.parse((await runCommand(['openapi', '--control', '--as', '3.0'])).stdout);
  expect([control.openapi, Object.keys(control.paths)]).toEqual([
    '3.0.3',
    expect.arrayContaining(['/_emulator/reset']),
  ]);
});
