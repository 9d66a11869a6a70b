import type { SchemaObject as Schema } from 'ajv';
import fc from 'fast-check';

const WORDS = ['a pier', 'Hello.', '', 'ünï💡', 'svc', '0', 'null', '../x', '[[slow', '{{inputs.x}}'];
/** Values that hardly any schema allows. */
export const WRONG: readonly unknown[] = [
  ...[null, true, false, '', ' ', -1, 0, -0, 1.5, 1e308, -1e308, 2 ** 53, 4_294_967_296, 'x', 'svc_sk_', '@nobody'],
  ...[[], {}, [{}], [[]], [null], nested(4), nested(9), nested(200)],
  ...['\ud800', '\udc00x', '\u0000', '💡', '💡'.repeat(50), 'x'.repeat(5000), '9'.repeat(400)],
  ...['[[fail', '[[fail]]', '[[status:429]]', '[[block]]', '{{inputs.x}}', '%00', '../../etc/passwd'],
  ...["'; DROP TABLE ledger; --", 'http://127.0.0.1:9/', 'data:image/png;base64,AAAA'],
  JSON.parse('{"__proto__": {"a": 1}, "constructor": 1}'),
];
const DEEPEST = 6;
const LOOKAHEAD = /\(\?[!=](?:[^()]|\([^()]*\))*\)/g;

export function nested(levels: number): unknown {
  return levels === 0 ? 1 : levels % 2 ? [nested(levels - 1)] : { a: nested(levels - 1) };
}

/** Makes values that a schema allows, and sometimes one that it does not. The same seed makes the same values. */
export class SeededValues {
  #state: number;
  /** The probability that a value does not match the schema. */
  readonly #invalid: number;

  constructor(seed: number, invalid = 0.04) {
    this.#state = seed >>> 0;
    this.#invalid = invalid;
  }

  /** At least 0, less than 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.next() * from.length)] as T;
  }

  whole(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  value(schema: Schema, depth = 0): unknown {
    if (depth > 0 && this.chance(this.#invalid)) return this.pick(WRONG);
    if (schema.const !== undefined) return schema.const;
    if (schema.enum) return this.pick(schema.enum);
    const forms = schema.anyOf ?? schema.oneOf;
    if (forms) return this.value(this.pick(forms), depth + 1);
    const type = Array.isArray(schema.type) ? this.pick(schema.type) : schema.type;
    return this.#ofType(type, schema, depth);
  }

  #ofType(type: string | undefined, schema: Schema, depth: number): unknown {
    switch (type) {
      case 'object':
        return this.#object(schema, depth);
      case 'array':
        return depth > DEEPEST ? [] : this.#array(schema, depth);
      case 'string':
        return this.#text(schema);
      case 'integer':
      case 'number':
        return this.#number(type, schema);
      case 'boolean':
        return this.chance(0.5);
      case 'null':
        return null;
      default:
        return this.pick([...WRONG, ...WORDS]);
    }
  }

  #object({ properties = {}, required = [], additionalProperties }: Schema, depth: number) {
    const wanted = Object.entries<Schema>(properties).filter(([name]) =>
      required.includes(name) ? !this.chance(this.#invalid / 2) : depth < DEEPEST && this.chance(0.4),
    );
    const object = Object.fromEntries(wanted.map(([name, field]) => [name, this.value(field, depth + 1)]));
    if (typeof additionalProperties === 'object' && depth < DEEPEST) {
      object[this.pick(['a', 'b'])] = this.value(additionalProperties, depth + 1);
    }
    return object;
  }

  #array({ items = {}, minItems = 0, maxItems = 3 }: Schema, depth: number): unknown[] {
    const length = this.whole(minItems, Math.min(maxItems, minItems + 2));
    return Array.from({ length }, () => this.value(items, depth + 1));
  }

  #text({ minLength = 0, maxLength = 200, pattern, format }: Schema): string {
    if (format === 'uri') return 'http://127.0.0.1:9/';
    if (format === 'date-time') return new Date(1.7e12 + this.whole(0, 2e9)).toISOString();
    if (pattern) {
      const matching = fc.stringMatching(new RegExp(pattern.replaceAll(LOOKAHEAD, '')), {
        maxLength: 20,
      });
      return String(fc.sample(matching, { seed: this.whole(0, 2 ** 31 - 1), numRuns: 1 })[0]);
    }
    const word = this.pick(WORDS).padEnd(Math.min(minLength, 200), 'x');
    return this.chance(0.05) ? 'y'.repeat(Math.min(maxLength, 5000)) : word.slice(0, maxLength);
  }

  #number(type: string, { minimum = 0, maximum = minimum + 1000, multipleOf = 1 }: Schema): number {
    if (this.chance(0.2)) return this.pick([minimum, maximum]);
    const within = minimum + this.next() * Math.min(maximum - minimum, 1000);
    if (type === 'number') return within;
    return Math.ceil(Math.floor(within) / multipleOf) * multipleOf;
  }
}
