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
