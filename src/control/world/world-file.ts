import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { requirePlain } from '../../base/config/plain-file.ts';
import { EmulatorError, invalid, quoted, systemCode } from '../../base/errors.ts';
import { WELL_KNOWN_KEY } from '../../engine/accounts/seed.ts';
import { type ParsedFile, parseFixtures, Unparsable, WorldBroken } from '../../service/fixtures/parsed-file.ts';
import { InputReader } from '../../service/http/input.ts';
import { type WorldInput, worldFile } from './world-schema.ts';

const LARGEST_FILE = 8 * 1_048_576;
const EMPTY = 'it declares nothing; give it accounts, endpoints, rules, flows, elements or objects.';
const reader = new InputReader(worldFile);

/** A world as a file declares it, with the names of its accounts checked. */
export class DeclaredWorld {
  readonly orders: WorldInput;
  readonly #file: string;
  readonly #parsed: ParsedFile;

  private constructor(file: string, parsed: ParsedFile, orders: WorldInput) {
    this.#file = file;
    this.#parsed = parsed;
    this.orders = orders;
  }

  /** Throws `WorldBroken` for a file that cannot be read, or says what cannot be. */
  static async read(file: string): Promise<DeclaredWorld> {
    let parsed: ParsedFile | undefined;
    try {
      const facts = await stat(file);
      requirePlain(facts);
      if (facts.size > LARGEST_FILE) throw invalid(null, 'it is over 8 MiB; declare less.');
      parsed = await parseFixtures(await readFile(file, 'utf8'), /\.json$/i.test(file));
      if (parsed.value === null) throw invalid(null, EMPTY);
      const orders = reader.readKnown(parsed.value);
      requireNames(orders);
      return new DeclaredWorld(file, parsed, orders);
    } catch (error) {
      throw broken(file, error, parsed);
    }
  }

  /** What is reported of an order that cannot be carried out: `error` names a field of the order at `at`. */
  fault(at: string, error: unknown): unknown {
    if (!(error instanceof EmulatorError)) return error;
    const field = error.param === null ? at : `${at}.${error.param}`;
    return new WorldBroken(this.#file, this.#parsed.lineOf(field), `${at}: ${error.message}`);
  }

  /** The bytes of a file that the world names, by its path from the world's own. Throws `invalid_request`. */
  async bytes(name: string, param: string): Promise<Buffer> {
    try {
      const file = path.resolve(path.dirname(this.#file), name);
      requirePlain(await stat(file));
      return await readFile(file);
    } catch {
      const quoted = JSON.stringify(name.slice(0, 120));
      throw invalid(
        param,
        `${param} names no file that can be read: ${quoted}. Give its path from ${path.basename(this.#file)}.`,
      );
    }
  }
}

function broken(file: string, error: unknown, parsed: ParsedFile | undefined): unknown {
  if (error instanceof Unparsable) return new WorldBroken(file, error.line, error.message);
  if (error instanceof EmulatorError) {
    return new WorldBroken(file, parsed?.lineOf(error.param) ?? null, error.message);
  }
  if (systemCode(error) === undefined) return error;
  return new WorldBroken(file, null, `it cannot be read (${Object(error).message}).`);
}

/** An account is named once, before it is used; a key belongs to one account. Throws `invalid_request`. */
function requireNames({ accounts = [], flows = [], ...rest }: WorldInput): void {
  const known: string[] = [];
  const keys: string[] = [WELL_KNOWN_KEY];
  for (const [at, { name, workspace, keys: own = [] }] of accounts.entries()) {
    requireKnown(workspace, known, `accounts.${at}.workspace`);
    if (known.includes(name))
      throw invalid(`accounts.${at}.name`, `There are two accounts of the name ${quoted(name)}; rename one.`);
    known.push(name);
    const taken = own.find((key, index) => keys.includes(key) || own.indexOf(key) !== index);
    if (taken !== undefined)
      throw invalid(
        `accounts.${at}.keys`,
        `accounts.${at}.keys has a key that is an account's already; choose another.`,
      );
    keys.push(...own);
  }
  for (const [section, orders = []] of Object.entries({ flows, ...rest })) {
    if (!Array.isArray(orders)) continue;
    for (const [at, order] of orders.entries()) requireKnown(order.account, known, `${section}.${at}.account`);
  }
  const names = flows.map(({ name }) => name);
  for (const [at, { flow }] of (rest.endpoints ?? []).entries()) requireKnown(flow, names, `endpoints.${at}.flow`);
}

function requireKnown(name: string | undefined, known: readonly string[], param: string): void {
  if (name === undefined || known.includes(name)) return;
  const there = known.length === 0 ? 'there is none' : `there are ${known.slice(0, 8).map(quoted).join(', ')}`;
  throw invalid(param, `${param} is ${quoted(name)}, which nothing before it is called; ${there}.`);
}
