import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { analyse } from 'scslre';
import ts from 'typescript';
import { expect, it } from 'vitest';

const ROOT = path.join(import.meta.dirname, '../src');

interface Pattern {
  /** `service/http/field-list.ts: /a+/g`. */
  name: string;
  source: string;
  flags: string;
}

/** Every regular expression in the source, but for the page's, which meets the text of its own reader only. */
const patterns = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.ts$/.test(file) && !file.startsWith(path.join('dashboard', 'page')))
  .flatMap(patternsOf);

function patternsOf(file: string): Pattern[] {
  const tree = ts.createSourceFile(file, readFileSync(path.join(ROOT, file), 'utf8'), ts.ScriptTarget.Latest);
  const found: Pattern[] = [];
  const visit = (node: ts.Node): void => {
    if (node.kind === ts.SyntaxKind.RegularExpressionLiteral) {
      const { text } = node as ts.RegularExpressionLiteral;
      const end = text.lastIndexOf('/');
      found.push({ name: `${file}: ${text}`, source: text.slice(1, end), flags: text.slice(end + 1) });
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

it('finds the regular expressions of the source', () => {
  expect(patterns.length).toBeGreaterThan(80);
});

it.each(patterns)('matches in linear time the regular expression $name', ({ source, flags }) => {
  const { reports } = analyse({ source, flags });
  const told = reports.map((report) => `${report.type}: ${'exponential' in report && report.exponential}`);
  expect(told).toEqual([]);
});

it.each([
  ['a suffix that any place may begin', '[\\s!]+$'],
  ['two repetitions of the same', '^\\s*\\[\\s*([^\\]]+?)\\s*\\]'],
  ['a repetition of a repetition', '^(?:a+)+$'],
])('detects as a slow regular expression %s', (_name, source) => {
  expect(analyse({ source, flags: '' }).reports).not.toEqual([]);
});
