import { analyse } from 'scslre';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { type Source, sources } from './support/sources.ts';

interface Pattern {
  /** Such as `service/http/field-list.ts: /a+/g`. */
  name: string;
  source: string;
  flags: string;
}

/** Every regular expression in the source, except those of the dashboard page, which see only text of their own user. */
const patterns = sources
  .filter(({ name }) => name.endsWith('.ts') && !name.startsWith('dashboard/page/'))
  .flatMap(patternsOf);

function patternsOf({ name, text: code }: Source): Pattern[] {
  const tree = ts.createSourceFile(name, code, ts.ScriptTarget.Latest);
  const found: Pattern[] = [];
  const visit = (node: ts.Node): void => {
    if (node.kind === ts.SyntaxKind.RegularExpressionLiteral) {
      const { text } = node as ts.RegularExpressionLiteral;
      const end = text.lastIndexOf('/');
      found.push({ name: `${name}: ${text}`, source: text.slice(1, end), flags: text.slice(end + 1) });
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

it.each(patterns)('matches in linear time the regular expression $name', ({ source, flags }) => {
  const { reports } = analyse({ source, flags });
  const told = reports.map((report) => `${report.type}: ${'exponential' in report && report.exponential}`);
  expect(told).toEqual([]);
});
