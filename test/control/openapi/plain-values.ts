import { type Schema, SeededValues } from './seeded-values.ts';

/** Which of several choices a value takes. */
export type Choice = 'first' | 'last';

interface Wanted {
  choice: Choice;
  /** Optional fields too. */
  isWhole: boolean;
  /** The values of fields by their names, such as ids, wherever they are. */
  known: Record<string, unknown>;
}

/** Picks the plainest value that a schema allows. */
export function plainValue(schema: Schema, wanted: Wanted): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return chosen(schema.enum, wanted);
  const forms = schema.anyOf ?? schema.oneOf;
  if (forms)
    return plainValue(
      chosen(
        forms.filter(({ type }) => type !== 'null'),
        wanted,
      ) ?? {},
      wanted,
    );
  const types = [schema.type].flat().filter((type) => type !== 'null');
  return ofType(chosen(types, wanted), schema, wanted);
}

function chosen<T>(from: readonly T[], { choice }: Wanted): T | undefined {
  return from.filter((each) => each !== null).at(choice === 'first' ? 0 : -1);
}

function ofType(type: string | undefined, schema: Schema, wanted: Wanted): unknown {
  const { choice } = wanted;
  if (type === 'object') return plainObject(schema, wanted);
  if (type === 'array')
    return Array.from({ length: schema.minItems ?? 1 }, () => plainValue(schema.items ?? {}, wanted));
  if (type === 'boolean') return choice === 'first';
  if (type === 'integer' || type === 'number') return plainNumber(schema, wanted);
  if (schema.pattern ?? schema.format) return new SeededValues(7, 0).value(schema);
  return 'pier'.padEnd(schema.minLength ?? 0, '.').slice(0, schema.maxLength);
}

function plainNumber({ minimum, maximum, multipleOf }: Schema, { choice }: Wanted): number {
  const bound = choice === 'first' ? minimum : maximum;
  return bound ?? minimum ?? multipleOf ?? 1;
}

/** Also the object of the parameters in a query. */
export function plainObject({ properties = {}, required = [] }: Schema, wanted: Wanted): Record<string, unknown> {
  const { known, isWhole } = wanted;
  const fields = Object.entries(properties).filter(([name]) => isWhole || required.includes(name));
  return Object.fromEntries(
    fields.map(([name, field]) => [name, Object.hasOwn(known, name) ? known[name] : plainValue(field, wanted)]),
  );
}
