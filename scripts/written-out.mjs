import ts from 'typescript';

const { TypeFlags: Flags } = ts;
const PLAIN = Flags.StringLike | Flags.NumberLike | Flags.BooleanLike | Flags.Null | Flags.Undefined | Flags.Unknown;

/** The text of a data type without the names of other types. All properties are written out, down to primitive types. */
export function writtenOut(checker, type, outer = []) {
  if (type.flags & (PLAIN | Flags.Any | Flags.Never) && !(type.flags & Flags.EnumLike))
    return checker.typeToString(type);
  if (type.isUnion()) return unionOf(checker, type, outer);
  // A type that contains itself, such as JSON.
  if (outer.includes(type)) return 'unknown';
  const inside = [...outer, type];
  if (checker.isTupleType(type) || checker.isArrayType(type)) return listOf(checker, type, inside);
  const signatures = [...type.getCallSignatures(), ...type.getConstructSignatures()];
  if (signatures.length > 0) throw new Error(`${checker.typeToString(type)} is not data.`);
  return recordOf(checker, type, inside);
}

function unionOf(checker, type, outer) {
  const names = type.types.map((each) => writtenOut(checker, each, outer));
  const isBoolean = names.includes('true') && names.includes('false');
  const rest = isBoolean ? names.filter((name) => name !== 'true' && name !== 'false') : names;
  return [...new Set([...rest, ...(isBoolean ? ['boolean'] : [])])].join(' | ');
}

function listOf(checker, type, outer) {
  const items = checker.getTypeArguments(type).map((each) => writtenOut(checker, each, outer));
  const { readonly } = type.target;
  if (checker.isTupleType(type)) return `${readonly ? 'readonly ' : ''}[${items.join(', ')}]`;
  return type.symbol.name === 'ReadonlyArray' ? `readonly (${items[0]})[]` : `(${items[0]})[]`;
}

function recordOf(checker, type, outer) {
  const fields = checker.getPropertiesOfType(type).map((property) => {
    const optional = property.flags & ts.SymbolFlags.Optional ? '?' : '';
    const name = /^\w+$/.test(property.name) ? property.name : JSON.stringify(property.name);
    return `${name}${optional}: ${writtenOut(checker, checker.getTypeOfSymbol(property), outer)};`;
  });
  const indexes = checker
    .getIndexInfosOfType(type)
    .map(
      ({ keyType, type: value }) => `[key: ${checker.typeToString(keyType)}]: ${writtenOut(checker, value, outer)};`,
    );
  const indent = '  '.repeat(outer.length);
  const lines = [...fields, ...indexes].map((line) => `\n${indent}${line}`);
  return lines.length === 0 ? '{}' : `{${lines.join('')}\n${indent.slice(2)}}`;
}
