export function countWithNoun(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

export function joinedWithOr(values: readonly string[]): string {
  if (values.length < 2) return values.join('');
  return `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;
}

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function formatFileAndLine({
  file,
  line,
}: {
  file?: string | undefined;
  line?: number | undefined;
} = {}): string {
  return file === undefined ? '' : ` (${asOneLine(file)}${line === undefined ? '' : `:${line}`})`;
}

const UNSEEN = /(?![\n\t])\p{Cc}|[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]|\p{Cs}/gu;

/**
 * Escapes lone surrogates, control characters except line feed and tab, and characters that are invisible or change the
 * direction of the text. A string in JSON keeps its meaning.
 */
export function escapeInvisibleCharacters(text: string): string {
  return text.replace(UNSEEN, unicodeEscape);
}

export function unicodeEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

export function withReversedFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withReversedFields);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).toReversed();
  return Object.fromEntries(fields.map(([name, each]) => [name, withReversedFields(each)]));
}

export function equivalentJsonText(value: unknown): string {
  if (typeof value === 'string') {
    const plain = JSON.stringify(value).replaceAll('/', '\\/');
    return plain.replace(/[^ -~]/g, unicodeEscape);
  }
  if (Array.isArray(value)) return `[ ${value.map(equivalentJsonText).join(', ')} ]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, each]) => `${JSON.stringify(name)} : ${equivalentJsonText(each)}`);
  return `{ ${fields.join(', ')} }`;
}

export function asOneLine(text: string): string {
  return escapeInvisibleCharacters(text.replace(/\s+/g, ' ').trim());
}

export function tryParseJson(text: string | null | undefined): unknown {
  try {
    return text === null || text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The fewest letters to add, omit, replace or swap with the next one, to turn `a` into `b`. */
export function editDistance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  const cell = (row: number, column: number) => rows[row]?.[column] ?? 0;
  for (let row = 1; row <= a.length; row += 1) {
    const line = [row];
    rows.push(line);
    for (let column = 1; column <= b.length; column += 1) {
      const change = cell(row - 1, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const isSwap = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const swap = isSwap ? cell(row - 2, column - 2) + 1 : change;
      line.push(Math.min(change, swap, cell(row - 1, column) + 1, cell(row, column - 1) + 1));
    }
  }
  return cell(a.length, b.length);
}

function plain(name: string): string {
  return name.slice(0, 100).toLowerCase().replaceAll(/[-_]/g, '');
}

export function closestName(name: string, known: readonly string[]): string | undefined {
  const given = plain(name);
  const ranked = known.map((each) => ({ each, distance: editDistance(plain(each), given) }));
  const [nearest] = ranked.toSorted((a, b) => a.distance - b.distance);
  if (!nearest) return undefined;
  const most = Math.min(2, Math.floor(Math.min(given.length, plain(nearest.each).length) / 3));
  return nearest.distance <= most ? nearest.each : undefined;
}

export function didYouMeanText(name: string, known: readonly string[]): string {
  const close = closestName(name, known);
  return close === undefined ? '' : ` Did you mean ${close}?`;
}

export function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

export function distinct<T>(items: readonly T[], keyOf: (item: T) => string = (item) => JSON.stringify(item)): T[] {
  const firsts = new Map<string, T>();
  for (const item of items) if (!firsts.has(keyOf(item))) firsts.set(keyOf(item), item);
  return [...firsts.values()];
}

export function markdownSection(title: string, paragraphs: readonly string[]): string {
  return `${[`### ${title}`, ...paragraphs].filter((each) => each !== '').join('\n\n')}\n`;
}

export function markdownTable(heads: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  if (rows.length === 0) return '';
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const textLine = (cells: readonly (string | number)[]) => line(cells.map((each) => escapeMarkdown(String(each))));
  const names = heads.map((each) => each.replace(/:$/, ''));
  const sides = heads.map((each) => (each.endsWith(':') ? '---:' : '---'));
  return [textLine(names), line(sides), ...rows.map(textLine)].join('\n');
}

export function markdownList(items: readonly string[]): string {
  return items.map((each) => `- ${each}`).join('\n');
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
/** Characters that GitHub would turn into mentions or links. An HTML comment after them prevents this. */
const REFERENCE = /@|#(?=\w)|\bGH-(?=\d)/gi;

export function escapeMarkdown(text: string): string {
  return escapeInvisibleCharacters(text.replace(/\s+/g, ' '))
    .replace(/[&<>]/g, (each) => ENTITIES[each] ?? each)
    .replace(REFERENCE, '$&<!-- -->')
    .replace(/[\\`*_[\]~|$]/g, '\\$&')
    .replaceAll('://', ':&#47;/')
    .replace(/\bwww\./gi, (each) => `${each.slice(0, -1)}&#46;`)
    .replace(/^(\s*\d*)([-+#=.)])/, '$1\\$2');
}
