import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { parse } from 'yaml';
import { EmulatorDocuments } from '../../src/control/openapi/openapi-document.ts';
import { readCatalogue } from '../../src/engine/catalogue/catalogue.ts';
import { runCommand } from '../support/run-command.ts';

const ROOT = path.join(import.meta.dirname, '../..');

/**
 * What a user of the package can rely on, a line each, sorted: operations with what they take and answer, commands with
 * their flags, what the package exports, its pages of documentation, error codes, events, and the action for GitHub.
 * Texts are no part of it.
 */
export async function publicSurface(): Promise<string[]> {
  const documents = new EmulatorDocuments(readCatalogue());
  const lines = [
    ...operationLines(documents.service() as Schema),
    ...operationLines((await documents.control()) as Schema),
    ...(await commandLines([])),
    ...exportLines(),
    ...readdirSync(path.join(ROOT, 'docs')).map((page) => `docs ${page}`),
    ...errorCodes(),
    ...actionLines(),
  ];
  return [...new Set(lines)].toSorted();
}

// biome-ignore lint/suspicious/noExplicitAny: a JSON document is walked by its keywords
type Schema = Record<string, any>;

function operationLines(document: Schema): string[] {
  return Object.entries<Schema>({ ...document.paths, ...document.webhooks }).flatMap(([route, methods]) =>
    Object.entries<Schema>(methods).flatMap(([method, operation]) => {
      const name = `${method.toUpperCase()} ${route}`;
      const parameters: Schema[] = operation.parameters ?? [];
      return [
        `${name}: ${operation.operationId ?? 'an event'}`,
        ...parameters.flatMap((each) => {
          const parameter = resolved(each, document);
          const at = `${name} ${parameter.in} ${parameter.name}${parameter.required ? '' : '?'}`;
          return schemaLines(parameter.schema, at, document);
        }),
        ...contentLines(resolved(operation.requestBody ?? {}, document), `${name} body`, document),
        ...Object.entries<Schema>(operation.responses).flatMap(([status, each]) => {
          const answer = resolved(each, document);
          const headers = Object.keys(answer.headers ?? {}).toSorted();
          // What refuses has one shape everywhere.
          const body = status < '300' ? contentLines(answer, `${name} ${status}`, document) : [];
          return [`${name} ${status} headers ${headers.join(' ')}`, ...body];
        }),
      ];
    }),
  );
}

function contentLines({ content = {} }: Schema, at: string, document: Schema): string[] {
  return Object.entries<Schema>(content).flatMap(([type, { schema = {} }]) =>
    schemaLines(schema, type === 'application/json' ? at : `${at} ${type}`, document),
  );
}

function resolved(schema: Schema, document: Schema): Schema {
  if (typeof schema.$ref !== 'string') return schema;
  const steps = schema.$ref.slice(2).split('/');
  return steps.reduce((found, step) => found[step], document);
}

const TEXTS = ['description', 'title', 'example', 'examples', 'summary', 'externalDocs'];
const INNER = ['properties', 'required', 'items', 'anyOf', 'oneOf', 'allOf', '$ref'];

const OTHERS = 'additionalProperties';

/** A line for a schema's own keywords, and those of all within it. */
function schemaLines(given: Schema, at: string, document: Schema, above: readonly Schema[] = []): string[] {
  const schema = resolved(given, document);
  if (above.includes(schema)) return [`${at} as above`];
  const inner = (each: Schema, name: string) => schemaLines(each, `${at}${name}`, document, [...above, schema]);
  const own = Object.entries(schema)
    .filter(
      ([keyword, value]) =>
        ![...TEXTS, ...INNER].includes(keyword) && !(keyword === OTHERS && typeof value === 'object'),
    )
    .map(([keyword, value]) => `${keyword}=${JSON.stringify(value)}`)
    .toSorted();
  const { properties = {}, required = [], items, additionalProperties: more } = schema;
  const choices = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  return [
    `${at} ${own.join(' ')}`,
    ...Object.entries<Schema>(properties).flatMap(([name, each]) =>
      inner(each, `.${name}${required.includes(name) ? '' : '?'}`),
    ),
    ...(items ? inner(items, '[]') : []),
    ...(typeof more === 'object' ? inner(more, '.*') : []),
    ...choices.flatMap((each: Schema, n: number) => inner(each, `|${n}`)),
  ];
}

/** The lines of a command's help that are not its texts, and those of the commands below it. */
async function commandLines(command: readonly string[]): Promise<string[]> {
  const { stdout } = await runCommand([...command, '--help']);
  const name = ['svc-emulator', ...command].join(' ');
  const lines = [`${name}: ${/^Usage: (.*)$/m.exec(stdout)?.[1]}`];
  const below: string[] = [];
  let section = '';
  for (const line of stdout.split('\n')) {
    section = /^(\w+):/.exec(line)?.[1] ?? section;
    const term = /^ {2}(\S.*?)(?: {2}|$)/.exec(line)?.[1];
    if (!term) continue;
    if (section === 'Commands') below.push(term.split(/[ |]/)[0] ?? '');
    if (section === 'Options' || section === 'Arguments') lines.push(`${name} ${section.toLowerCase()} ${term}`);
  }
  for (const each of below) if (each !== 'help') lines.push(...(await commandLines([...command, each])));
  return lines;
}

/** The sources of entries that are no runner's alone. */
const ENTRIES: Readonly<Record<string, string>> = {
  '.': 'index.ts',
  './events': 'events.ts',
  './vitest': 'client/runners/vitest.ts',
};

function exportLines(): string[] {
  const { exports } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  return Object.keys(exports).flatMap((entry) => {
    const file = ENTRIES[entry] ?? `client/runners/${entry.slice(2)}.ts`;
    const names = entry.endsWith('.json') ? [] : exportedNames(path.join(ROOT, 'src', file));
    return [`export ${entry}`, ...names.map((name) => `export ${entry} ${name}`)];
  });
}

function exportedNames(file: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
  return source.statements.flatMap((statement) =>
    ts.isExportDeclaration(statement) ? passedOn(statement, file) : declaredNames(statement, source),
  );
}

function passedOn({ exportClause, moduleSpecifier }: ts.ExportDeclaration, file: string): string[] {
  if (exportClause && ts.isNamedExports(exportClause)) return exportClause.elements.map(({ name }) => name.text);
  const from = moduleSpecifier && ts.isStringLiteral(moduleSpecifier) ? moduleSpecifier.text : '';
  return from.startsWith('.') ? exportedNames(path.join(path.dirname(file), from)) : [`all of ${from}`];
}

function declaredNames(statement: ts.Statement, source: ts.SourceFile): string[] {
  if (!ts.canHaveModifiers(statement) || !ts.getModifiers(statement)?.some(isExport)) return [];
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map(({ name }) => name.getText(source));
  return 'name' in statement && statement.name ? [(statement.name as ts.Identifier).text] : ['default'];
}

function isExport({ kind }: ts.Node): boolean {
  return kind === ts.SyntaxKind.ExportKeyword;
}

function errorCodes(): string[] {
  const text = readFileSync(path.join(ROOT, 'src/base/errors.ts'), 'utf8');
  const [, union = ''] = /type ErrorCode =([^;]*);/.exec(text) ?? [];
  return [...union.matchAll(/'(\w+)'/g)].map(([, code]) => `error ${code}`);
}

function actionLines(): string[] {
  const { inputs, outputs } = parse(readFileSync(path.join(ROOT, 'action.yml'), 'utf8'));
  return [
    ...Object.entries<Schema>(inputs).map(([name, input]) => `action input ${name} default=${input.default}`),
    ...Object.keys(outputs ?? {}).map((name) => `action output ${name}`),
  ];
}
