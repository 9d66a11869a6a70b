/** A report as Markdown, which the page of a CI job shows: paragraphs below a heading, without those that are empty. */
export function printMarkdown(title: string, paragraphs: readonly string[]): string {
  return `${[`### ${title}`, ...paragraphs].filter((each) => each !== '').join('\n\n')}\n`;
}

/** Nothing without rows; a head that ends in `:` is above numbers. */
export function markdownTable(heads: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  if (rows.length === 0) return '';
  const line = (cells: readonly (string | number)[]) =>
    `| ${cells.map((each) => markdownText(String(each))).join(' | ')} |`;
  const names = heads.map((each) => each.replace(/:$/, ''));
  return [line(names), line(heads.map((each) => (each.endsWith(':') ? '---:' : '---'))), ...rows.map(line)].join('\n');
}

export function markdownList(items: readonly string[]): string {
  return items.map((each) => `- ${each}`).join('\n');
}

/** What users wrote, in one line: no markup, no mention. */
export function markdownText(text: string): string {
  return text.replace(/\s+/g, ' ').replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('@', '&#64;');
}
