import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';

const ROOT = path.join(import.meta.dirname, '../src');

interface Source {
  name: string;
  text: string;
}

const sources: Source[] = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => ({ name: file.split(path.sep).join('/'), text: readFileSync(path.join(ROOT, file), 'utf8') }));

const MOST_FIELDS = 8;

/** Object types and classes, each by the file that declares it and its name. */
interface Shapes {
  fields: Map<string, readonly ts.TypeElement[]>;
  /** What each extends. */
  extended: Map<string, readonly string[]>;
  /** What acts: classes, and types with methods. */
  parts: Set<string>;
  /** What constructors take. */
  taken: Set<string>;
}

type Named = (type: ts.Node) => string | undefined;

function shapesOf(texts: readonly Source[]): Shapes & { partsIn: (field: ts.Node) => string[] } {
  const shapes: Shapes = { fields: new Map(), extended: new Map(), parts: new Set(), taken: new Set() };
  const names = new Map<ts.SourceFile, Named>();
  for (const { name, text } of texts) {
    const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
    names.set(file, namedIn(file));
    note(file, file, namedIn(file), shapes);
  }
  for (const [key, fields] of shapes.fields) if (fields.some(ts.isMethodSignature)) shapes.parts.add(key);
  const partsIn = (field: ts.Node): string[] => {
    // What a function takes is not handed over with it.
    if (ts.isFunctionLike(field)) return [];
    const key = names.get(field.getSourceFile())?.(field);
    const inner: string[] = [];
    field.forEachChild((child) => {
      if (!ts.isArrayTypeNode(child)) inner.push(...partsIn(child));
    });
    return key !== undefined && shapes.parts.has(key) ? [key, ...inner] : inner;
  };
  return { ...shapes, partsIn };
}

/** By which key a reference to a type goes: a name is of the file that it is imported from, else of its own. */
function namedIn(file: ts.SourceFile): Named {
  const imported = new Map<string, string>();
  for (const node of file.statements) {
    if (!ts.isImportDeclaration(node) || !ts.isStringLiteral(node.moduleSpecifier)) continue;
    const from = path.posix.join(path.posix.dirname(file.fileName), node.moduleSpecifier.text);
    const bindings = node.importClause?.namedBindings;
    if (!bindings || !ts.isNamedImports(bindings)) continue;
    for (const { name, propertyName } of bindings.elements)
      imported.set(name.text, `${from}: ${(propertyName ?? name).text}`);
  }
  return (type) => {
    if (!ts.isTypeReferenceNode(type) && !ts.isExpressionWithTypeArguments(type)) return undefined;
    const name = (ts.isTypeReferenceNode(type) ? type.typeName : type.expression).getText(file);
    return imported.get(name) ?? `${file.fileName}: ${name}`;
  };
}

function note(node: ts.Node, file: ts.SourceFile, named: Named, shapes: Shapes): void {
  const keyOf = ({ text }: ts.Identifier) => `${file.fileName}: ${text}`;
  if (ts.isClassDeclaration(node) && node.name) shapes.parts.add(keyOf(node.name));
  if (ts.isInterfaceDeclaration(node)) {
    shapes.fields.set(keyOf(node.name), node.members);
    const extended = (node.heritageClauses ?? []).flatMap(({ types }) => types.map((type) => named(type) ?? ''));
    shapes.extended.set(keyOf(node.name), extended);
  }
  if (ts.isTypeAliasDeclaration(node) && ts.isTypeLiteralNode(node.type))
    shapes.fields.set(keyOf(node.name), node.type.members);
  if (ts.isConstructorDeclaration(node))
    for (const { type } of node.parameters) shapes.taken.add((type && named(type)) ?? '');
  ts.forEachChild(node, (child) => note(child, file, named, shapes));
}

/** Every operation, and what serves operations, takes the one object that holds the whole emulator. */
const CONTEXT = 'service/http/context.ts: Context';

/** What constructors take that has more fields than a reader keeps in mind, parts of the emulator among them. */
function crowdsOf(texts: readonly Source[]): string[] {
  const { fields, extended, taken, partsIn } = shapesOf(texts);
  const fieldsOf = (key: string): ts.TypeElement[] => [
    ...(fields.get(key) ?? []),
    ...(extended.get(key) ?? []).flatMap(fieldsOf),
  ];
  return [...taken].filter((key) => {
    if (key === CONTEXT) return false;
    const all = fieldsOf(key);
    return all.length > MOST_FIELDS && all.some((field) => partsIn(field).length > 0);
  });
}

it('makes nothing out of an object of over eight fields with parts of the emulator among them', () => {
  expect(crowdsOf(sources)).toEqual([]);
});

const NINE = 'b: 1; c: 1; d: 1; e: 1; f: 1; g: 1; h: 1; i: 1';

it.each([
  ['a class among nine fields', `class A {} interface P { a: A; ${NINE} }`],
  ['one behind what it extends', `interface A { do(): void } interface Q { a?: A } interface P extends Q { ${NINE} }`],
])('would find %s', (_what, text) => {
  expect(crowdsOf([{ name: 'a.ts', text: `${text} class M { constructor(parts: P) {} }` }])).toEqual(['a.ts: P']);
});
