import type { Mask } from './mask.ts';
import type { OutputLine } from './trace-file.ts';

/** What comes one after another, at once or in time. */
export type Flow<Item> = Iterable<Item> | AsyncIterable<Item>;

/** Characters of a line of output. */
const LONGEST_LINE = 4000;

/** A list as JSON, a piece a row. */
export async function* listJson(rows: Flow<object>, mask: Mask): AsyncGenerator<string> {
  let before = '[';
  for await (const row of rows) {
    yield before + mask.json(row);
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
}

/** Fields by their names, each as pieces of JSON. */
export async function* fieldsJson(fields: Flow<readonly [string, Flow<string>]>): AsyncGenerator<string> {
  let before = '{';
  for await (const [name, pieces] of fields) {
    yield `${before}${JSON.stringify(name)}:`;
    yield* pieces;
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}

/** The lines that a command has printed. Masked before they are cut: half of a secret would be none that is known. */
export function maskedOutput(output: readonly OutputLine[], mask: Mask): OutputLine[] {
  const [out, err] = (['out', 'err'] as const).map((from) => {
    const texts = output.flatMap((line) => (line.from === from ? [line.text] : []));
    return mask.lines(texts).values();
  });
  return output.map((line) => {
    const text = (line.from === 'out' ? out : err)?.next().value ?? '';
    return { ...line, text: text.slice(0, LONGEST_LINE) };
  });
}
