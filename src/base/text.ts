/** A number with its noun, in the plural where that is due. */
export function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** Where something is, behind its name: ` (file:line)`, as far as it is known. */
export function placeText({ file, line }: { file?: string | undefined; line?: number | undefined } = {}): string {
  return file === undefined ? '' : ` (${inLine(file)}${line === undefined ? '' : `:${line}`})`;
}

/** Controls of a terminal (C0, C1 and DEL) but for line ends and tabs, and those that turn the direction of a text. */
const UNSEEN = /(?![\n\t])\p{Cc}|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/**
 * A text for a terminal: what would move its cursor, colour it or turn its direction is shown as an escape of JSON, and
 * not sent. JSON stays the same JSON.
 */
export function visibleText(text: string): string {
  return text.replace(UNSEEN, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** What somebody else wrote, such as the name of a test: one line, and no control characters. */
export function inLine(text: string): string {
  return visibleText(text.replace(/\s+/g, ' ').trim());
}

/** Undefined for what is no JSON. */
export function parsedJson(text: string | null | undefined): unknown {
  try {
    return text === null || text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Levenshtein's distance: how many letters to add, drop or change. */
export function editDistance(a: string, b: string): number {
  const first = Array.from({ length: b.length + 1 }, (_, column) => column);
  const last = [...a].reduce<number[]>((above, letter, row) => {
    const line = [row + 1];
    for (let column = 1; column <= b.length; column += 1) {
      const change = (above[column - 1] ?? 0) + (letter === b[column - 1] ? 0 : 1);
      line.push(Math.min(change, (above[column] ?? 0) + 1, (line[column - 1] ?? 0) + 1));
    }
    return line;
  }, first);
  return last[b.length] ?? 0;
}

/** The known name that is spelled most like a given one; a name's case and dashes do not matter. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const plain = (text: string) => text.slice(0, 100).toLowerCase().replaceAll(/[-_]/g, '');
  const distance = (other: string) => editDistance(plain(other), plain(name));
  return known.reduce<string | undefined>(
    (best, each) => (best === undefined || distance(each) < distance(best) ? each : best),
    undefined,
  );
}
