import { visibleText } from './text.ts';

export function printMarkdown(title: string, paragraphs: readonly string[]): string {
  return `${[`### ${title}`, ...paragraphs].filter((each) => each !== '').join('\n\n')}\n`;
}

export function markdownTable(heads: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  if (rows.length === 0) return '';
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const textLine = (cells: readonly (string | number)[]) => line(cells.map((each) => markdownText(String(each))));
  const names = heads.map((each) => each.replace(/:$/, ''));
  const sides = heads.map((each) => (each.endsWith(':') ? '---:' : '---'));
  return [textLine(names), line(sides), ...rows.map(textLine)].join('\n');
}

export function markdownList(items: readonly string[]): string {
  return items.map((each) => `- ${each}`).join('\n');
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
/** GitHub would turn these into mentions or links. A comment after them splits the word. */
const REFERENCE = /@|#(?=\w)|\bGH-(?=\d)/gi;

export function markdownText(text: string): string {
  return visibleText(text.replace(/\s+/g, ' '))
    .replace(/[&<>]/g, (each) => ENTITIES[each] ?? each)
    .replace(REFERENCE, '$&<!-- -->')
    .replace(/[\\`*_[\]~|$]/g, '\\$&')
    .replaceAll('://', ':&#47;/')
    .replace(/\bwww\./gi, (each) => `${each.slice(0, -1)}&#46;`)
    .replace(/^(\s*\d*)([-+#=.)])/, '$1\\$2');
}
