import path from 'node:path';
import { z } from 'zod';
import { WorldFileError } from '../../base/config/config.ts';
import { SECRET_PREFIXES } from '../../base/database/id-store.ts';
import { EmulatorError, invalidRequestError, quoted, systemErrorCode } from '../../base/errors.ts';
import { readPlainFile, readPlainFileBytes, resolvePathInFolder } from '../../base/files/plain-file.ts';
import { integerBetween, jsonObject, optional, text, textWithoutNul } from '../../base/schemas.ts';
import { describeSystemError } from '../../base/system-error.ts';
import { PLANS, ROLES } from '../../engine/accounts/account-store.ts';
import { WELL_KNOWN_KEY } from '../../engine/accounts/accounts.ts';
import { fixtureFileSchema } from '../../service/fixtures/fixture-schema.ts';
import { type ParsedFile, parseYamlOrJson, UnparsableFileError } from '../../service/fixtures/folder-reading.ts';
import { InputReader } from '../../service/http/input.ts';
import { MAX_CREDIT_AMOUNT } from '../accounts.ts';
import { faultRuleInputSchema } from '../faults.ts';
import { flowDefinitionSchema } from '../flows.ts';
import { elementFields } from '../library.ts';
import { endpointFields } from '../webhooks.ts';

const MAX_ITEMS = 1000;
const MAX_KEYS = 20;

const secret = (prefix: string) =>
  z
    .string()
    .regex(new RegExp(`^${prefix}[A-Za-z0-9_]{4,100}$`))
    .describe(`${prefix} and 4 to 100 letters, digits or underscores.`);
const account = optional(z.string()).describe('the name of an account in this file (default: the first account).');
const given = (what: string) => `${what}: a path in the folder of this file, a data URL or a URL.`;

const accountOrder = z.strictObject({
  name: textWithoutNul({ min: 1, max: 200 }).describe('the name of the account in this file, 1 to 200 characters.'),
  workspace: optional(z.string()).describe(
    'the name of an earlier account in this file, whose workspace the account joins.',
  ),
  plan: optional(z.enum(PLANS)).describe('payg, hobby, creator or studio (default: payg).'),
  role: optional(z.enum(ROLES)).describe('owner, admin or member.'),
  credits: optional(integerBetween(0, MAX_CREDIT_AMOUNT)).describe(
    'the initial balance, a whole number of credits (default: 50).',
  ),
  keys: optional(z.array(secret(SECRET_PREFIXES.key)).min(1).max(MAX_KEYS)).describe(
    'your own keys: svc_sk_ and 4 to 100 letters, digits or underscores (default: one generated key).',
  ),
});

const elementOrder = z.strictObject({
  account,
  ...elementFields,
  image: optional(z.string()).describe(given('an image')),
  voice: optional(z.string()).describe(given('a recording of the voice, WAV or MP3')),
});

const objectOrder = z.strictObject({
  account,
  file: z.string().min(1).describe('the path of a file in the folder of this file.'),
  name: optional(text({ min: 1 })).describe('the file name in the URL (default: the name of the file).'),
  content_type: optional(z.string().regex(/^[\w.+-]+\/[\w.+-]+$/)).describe('a media type, such as image/png.'),
});

const flowOrder = flowDefinitionSchema.extend({ account });

const endpointOrder = z.strictObject({
  account,
  ...endpointFields,
  flow: optional(z.string()).describe('the name of a flow in this file; only events of its runs are sent.'),
  secret: optional(secret(SECRET_PREFIXES.signing)).describe(
    'your own signing secret: whsec_ and 4 to 100 letters, digits or underscores (default: a generated secret).',
  ),
});

const ruleOrder = faultRuleInputSchema.extend({ account });

const fixtureOrder = fixtureFileSchema.shape.fixtures.element.extend({ account });

const requestOrder = z.strictObject({
  account,
  path: z.string().regex(/^\//).describe('a path of the emulator, such as /v1/images/generations.'),
  method: optional(z.enum(['POST', 'PUT', 'PATCH', 'DELETE'])).describe('POST, PUT, PATCH or DELETE (default: POST).'),
  body: optional(jsonObject()).describe('the JSON body of the request.'),
  outcome: optional(z.enum(['succeeded', 'failed'])).describe(
    'succeeded or failed: ends the jobs of the request at once.',
  ),
});

const many = <Item extends z.ZodType>(item: Item, what: string) =>
  optional(z.array(item).max(MAX_ITEMS)).describe(what);

const worldFile = z.strictObject({
  $schema: optional(z.string()).describe('the address of this schema, for editors.'),
  accounts: many(accountOrder, 'accounts in addition to the first one, which every emulator has.'),
  elements: many(elementOrder, 'characters and things that prompts mention.'),
  objects: many(objectOrder, 'files in storage, free of charge.'),
  fixtures: many(fixtureOrder, "scripted answers to the account's requests; the first that matches is used."),
  flows: many(flowOrder, 'flows.'),
  endpoints: many(endpointOrder, 'webhook endpoints.'),
  rules: many(ruleOrder, 'fault rules.'),
  requests: many(
    requestOrder,
    'requests to send in order, in the background. Texts may contain {{account}} and {{flow.NAME}} (ids), and {{image}} (the URL of the newest image of the account).',
  ),
});

type WorldInput = z.output<typeof worldFile>;

export type WorldFileItem<Section extends keyof WorldInput> =
  NonNullable<WorldInput[Section]> extends (infer Order)[] ? Order : never;

export function worldFileJsonSchema(): object {
  const schema = z.toJSONSchema(worldFile, { io: 'input', unrepresentable: 'any' });
  return { ...schema, title: 'A world file of svc-emulator' };
}

const LARGEST_MIB = 8;
const EMPTY =
  'it declares nothing; give it accounts, endpoints, rules, flows, elements, objects, fixtures or requests.';
const reader = new InputReader(worldFile, 'The file');

export type DeclaredWorld = Awaited<ReturnType<typeof readWorldFile>>;

export async function readWorldFile(file: string, option: 'world' | 'demo') {
  let parsed: ParsedFile | undefined;
  try {
    parsed = await parseYamlOrJson(readPlainFile(file, LARGEST_MIB), /\.json$/i.test(file));
    if (parsed.value === null) throw invalidRequestError(null, EMPTY);
    const orders = reader.readKnown(parsed.value);
    requireNames(orders);
    return { option, ...declaredBy(file, parsed, orders) };
  } catch (error) {
    throw broken(file, error, parsed);
  }
}

function declaredBy(file: string, parsed: ParsedFile, orders: WorldInput) {
  return {
    orders,
    requests: orders.requests ?? [],
    keyOf: (name: string | undefined) => keyOf(orders.accounts, name) ?? '',
    /** `at` is the path of an entry, such as `rules.0`. */
    fault(at: string, error: unknown): unknown {
      if (!(error instanceof EmulatorError)) return error;
      const { param } = error;
      const isPlaced = param?.startsWith(at) === true;
      const field = isPlaced ? param : `${at}.${param ?? ''}`;
      return new WorldFileError(file, parsed.lineOf(field), isPlaced ? error.message : `${at}: ${error.message}`);
    },
    async bytes(name: string, param: string): Promise<Buffer> {
      const given = JSON.stringify(name.slice(0, 120));
      const folder = path.resolve(path.dirname(file));
      const inside = resolvePathInFolder(folder, path.resolve(folder, name));
      if (inside === undefined) {
        throw invalidRequestError(
          param,
          `${param} leads out of the folder of ${path.basename(file)}: ${given}. Put the file into that folder.`,
        );
      }
      try {
        return readPlainFileBytes(inside);
      } catch {
        throw invalidRequestError(
          param,
          `${param} is not a readable file: ${given}. Give its path relative to ${path.basename(file)}.`,
        );
      }
    },
  };
}

function broken(file: string, error: unknown, parsed: ParsedFile | undefined): unknown {
  if (error instanceof UnparsableFileError) return new WorldFileError(file, error.line, error.message);
  if (error instanceof EmulatorError) {
    return new WorldFileError(file, parsed?.lineOf(error.param) ?? null, error.message);
  }
  if (systemErrorCode(error) === undefined) return error;
  return new WorldFileError(file, null, `it cannot be read: ${describeSystemError(error)}.`);
}

function requireNames({ accounts, flows = [], endpoints = [], requests = [], ...rest }: WorldInput): void {
  const known = requireAccounts(accounts);
  for (const [section, orders = []] of Object.entries({ flows, endpoints, requests, ...rest })) {
    if (!Array.isArray(orders)) continue;
    for (const [at, order] of orders.entries()) requireKnown(order.account, known, `${section}.${at}.account`);
  }
  const names = flows.map(({ name }) => name);
  for (const [at, { flow }] of endpoints.entries()) requireKnown(flow, names, `endpoints.${at}.flow`);
  for (const [at, { account }] of requests.entries()) {
    const param = `requests.${at}.account`;
    if (account !== undefined && keyOf(accounts, account) === undefined)
      throw invalidRequestError(param, `${param} is ${quoted(account)}, which has no keys in this file; give it keys.`);
  }
}

function requireAccounts(accounts: WorldInput['accounts'] = []): string[] {
  const known: string[] = [];
  const keys: string[] = [WELL_KNOWN_KEY];
  for (const [at, { name, workspace, keys: own = [] }] of accounts.entries()) {
    requireKnown(workspace, known, `accounts.${at}.workspace`);
    if (known.includes(name))
      throw invalidRequestError(`accounts.${at}.name`, `There are two accounts named ${quoted(name)}; rename one.`);
    known.push(name);
    const taken = own.find((key, index) => keys.includes(key) || own.indexOf(key) !== index);
    if (taken !== undefined)
      throw invalidRequestError(
        `accounts.${at}.keys`,
        `accounts.${at}.keys has a key that another account already has; choose another one.`,
      );
    keys.push(...own);
  }
  return known;
}

function keyOf(accounts: WorldInput['accounts'], name: string | undefined): string | undefined {
  return name === undefined ? WELL_KNOWN_KEY : accounts?.find((each) => each.name === name)?.keys?.[0];
}

function requireKnown(name: string | undefined, known: readonly string[], param: string): void {
  if (name === undefined || known.includes(name)) return;
  const there = known.length === 0 ? 'nothing is declared' : `use one of ${known.slice(0, 8).map(quoted).join(', ')}`;
  throw invalidRequestError(param, `${param} is ${quoted(name)}, which is not declared above it; ${there}.`);
}
