import { fileURLToPath } from 'node:url';
import { markThrown } from './error-origin.ts';

export interface TapFailure {
  name: string;
  file?: string;
  line?: number;
  error?: string;
}

/** Parents fail because their subtests fail. */
const OF_PARENT = 'subtestsFailed';
const LOCATION = /^(.+):(\d{1,9}):\d{1,9}$/;
const FIELD = /^( *)(location|failureType|error|code): (.*)$/;
/** The code of an error that is no assertion. */
const THROWN = 'ERR_TEST_FAILURE';

/** The failed tests in the TAP of node:test, each with its place and error. Empty for other output. */
export function tapFailures(output: string): TapFailure[] {
  const lines = output.split('\n');
  return lines.flatMap((line, at): TapFailure[] => {
    const [, title = ''] = /^ *not ok \d{1,9} - (.+)$/.exec(line) ?? [];
    // A directive, such as `# time=2`, follows the name, in which each # is escaped.
    const [name = ''] = title.split(' # ');
    if (name === '' || lines[at + 1]?.trim() !== '---') return [];
    const end = lines.findIndex((each, next) => next > at && each.trim() === '...');
    const fields = fieldsOf(lines.slice(at + 2, end === -1 ? undefined : end));
    if (fields.get('failureType') === OF_PARENT) return [];
    const said = fields.get('error');
    const error = said && fields.get('code') === THROWN ? markThrown(said) : said;
    return [{ name: name.trim(), ...placeIn(fields.get('location') ?? ''), ...(error && { error }) }];
  });
}

function fieldsOf(lines: readonly string[]): Map<string, string> {
  const fields = new Map<string, string>();
  for (const [at, line] of lines.entries()) {
    const [, indent = '', name, value = ''] = FIELD.exec(line) ?? [];
    if (name !== undefined && !fields.has(name)) fields.set(name, textIn(value, lines.slice(at + 1), indent.length));
  }
  return fields;
}

/** A value in quotes, or the deeper lines that follow `|-`. */
function textIn(value: string, rest: readonly string[], indent: number): string {
  if (!value.startsWith('|')) return value.replace(/^(['"])(.*)\1$/, '$2').replaceAll('\\n', '\n');
  const end = rest.findIndex((line) => line.trim() !== '' && line.search(/\S/) <= indent);
  const own = end === -1 ? rest : rest.slice(0, end);
  return own
    .map((line) => line.slice(indent + 2))
    .join('\n')
    .trim();
}

function placeIn(location: string): Pick<TapFailure, 'file' | 'line'> {
  const [, file, line] = LOCATION.exec(location) ?? [];
  if (file === undefined) return {};
  return { file: file.startsWith('file:') ? fileURLToPath(file) : file, line: Number(line) };
}
