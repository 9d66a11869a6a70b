/** The dotted paths of all fields of a JSON value; `*` stands for every index of an array. */
export function fieldsOf(value: unknown): string[] {
  const found = new Set<string>();
  collect(value, '', found);
  return [...found];
}

function collect(value: unknown, at: string, found: Set<string>): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const each of value) collect(each, `${at}*.`, found);
    return;
  }
  for (const [name, each] of Object.entries(value)) {
    found.add(at + name);
    collect(each, `${at}${name}.`, found);
  }
}
