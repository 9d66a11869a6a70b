/** Two values that a test compared, as its runner prints them: the actual and the expected one. */
export interface ComparedValues {
  got: string;
  wanted: string;
  /** The key of the value, or what was counted, such as `length`. '' in a list, undefined if whole values were compared. */
  field?: string;
}

/** A line that differs in two objects, as node:assert, Vitest and Jest print it: `+` is the actual value. */
const DIFFERENT =
  /^(?<sign>[-+])(?<indent> +)(?!(?:Expected|Received)\b|actual - expected)(?:(?<quote>['"]?)(?<key>\w+)\k<quote>: )?(?<value>\S.*?),?$/;
const ASSERTIONS = [
  /did not match the regular expression (?<wanted>\/.+\/)\w*\. Input:\s+(?<got>\S.*)/,
  /to have a (?<field>length) of (?<wanted>\d+) but got (?<got>\d+)/,
  /^Expected (?<field>length): (?<wanted>\d+)\nReceived length: (?<got>\d+)/m,
  /to be (?<field>called) (?<wanted>\d+) times?, but got (?<got>\d+) times?/,
  /^Expected number of (?<field>calls): (?<wanted>\d+)\nReceived number of calls: (?<got>\d+)/m,
  /^(?:AssertionError: )?(?<got>\S+) !== (?<wanted>\S+)/m,
  /expected (?<got>.+?) to (?:be|equal|(?:deeply|strictly) equal|match object|match|contain|include) (?<wanted>.+)/,
  /^Expected(?: \w+)?: +(?<wanted>\S.*)\nReceived(?: \w+)?: +(?<got>\S.*)$/m,
  /\bassert (?<got>\d+) == (?<wanted>\d+)\s+(?:E\s+){0,2}\+ +where \d+ = (?<field>len)\(/,
  /\bassert (?<got>.+?) == (?<wanted>.+)/,
  /\bassert (?<wanted>.+?) in (?<got>.+)/,
  /^AssertionError: (?<got>.+?) != (?<wanted>.+?)(?: : .+)?$/m,
  /\bassert (?<got>''|""|None|\[\])$/m,
  /expected (?<got>''|undefined|null|\[\]) to be truthy/,
  /toBeTruthy\(\)\s+Received: (?<got>""|undefined|null|\[\])/,
];
/**
 * Several terms joined by `and`. pytest prints them up to the first false one, so the group is the last term. The word
 * `and` within quotes joins nothing.
 */
const TERMS = /\bassert \((?:.* and )?((?:[^'"\n]|'[^'\n]*'|"[^"\n]*")+?)\)?$/m;

/** The compared values in an error of node:assert, Vitest, Jest, Playwright, pytest or unittest. Empty for other errors. */
export function parseComparedValues(error: string): ComparedValues[] {
  const fields = differencesIn(error.split('\n'));
  if (fields.length > 0) return fields;
  const failed = error.replace(TERMS, 'assert $1').replaceAll('\\n', ' ');
  const found = ASSERTIONS.map((form) => form.exec(failed)).find((match) => match !== null);
  const { got = '', wanted = '', field } = found?.groups ?? {};
  const values = { got, wanted: wanted.replace(/ \/\/ Object\.is.*$/, ''), ...(field !== undefined && { field }) };
  return found ? differingItems(values) : [];
}

/** The items that differ in two lists or objects of equal length, each in one line. Returns other values whole. */
function differingItems(values: ComparedValues): ComparedValues[] {
  const { got, wanted } = values;
  const [actual = [], expected = []] = [got, wanted].map(itemsIn);
  const pairs = actual.map(({ field, value }, at): ComparedValues => {
    const other = field === '' ? expected[at] : expected.find((each) => each.field === field);
    return { got: value, wanted: other?.value ?? '', field };
  });
  const differing = actual.length === expected.length ? pairs.filter((pair) => pair.got !== pair.wanted) : [];
  return differing.length > 0 ? differing.flatMap(differingItems) : [values];
}

const LIST_OR_OBJECT = /^(?:\[(.+)\]|\{(.+)\})$/;
/** Matches an item of a list or an object. A comma within quotes or brackets does not end it. */
const ITEM = /(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\[(?:[^[\]]|\[[^[\]]*\])*\]|\{[^{}]*\}|[^,])+/g;
const FIELD = /^(['"]?)(\w+)\1: (.+)$/;

const MAX_LENGTH = 2000;

/** The items of a list or an object; in a list, `field` is ''. Undefined for other texts, and above `MAX_LENGTH`. */
function itemsIn(text: string): { field: string; value: string }[] | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const [, list, object] = LIST_OR_OBJECT.exec(text) ?? [];
  const items = (list ?? object)?.match(ITEM)?.map((item) => item.trim());
  if (object !== undefined && !items?.every((item) => FIELD.test(item))) return undefined;
  return items?.map((item) => {
    const [, , field = '', value = item] = object === undefined ? [] : (FIELD.exec(item) ?? []);
    return { field, value };
  });
}

function differencesIn(lines: readonly string[]): ComparedValues[] {
  const found: ComparedValues[] = [];
  let block: DifferentLine[] = [];
  for (const line of [...lines, '']) {
    const groups = DIFFERENT.exec(line)?.groups;
    if (groups) {
      block.push(groups);
      continue;
    }
    const [actual, expected] = ['+', '-'].map((sign) => inOneText(block.filter((each) => each.sign === sign)));
    for (const [at, { key, value: got = '' }] of (actual ?? []).entries()) {
      const other = key === undefined ? expected?.[at] : expected?.find((each) => each.key === key);
      if (other) found.push({ got, wanted: other.value ?? '', field: key ?? '' });
    }
    block = [];
  }
  return found;
}

type DifferentLine = NonNullable<RegExpExecArray['groups']>;

/** Joins the lines of one text, because a single line may be unchanged or say nothing. */
function inOneText(lines: readonly DifferentLine[]): readonly DifferentLine[] {
  const isOfText = ({ indent = '', value = '', quote }: DifferentLine) =>
    / \+$/.test(value) || (indent === ' ' && !quote && !/^['"[{\d]/.test(value));
  if (lines.length < 2 || !lines.slice(0, 1).every(isOfText)) return lines;
  return [{ value: lines.map(({ key, value = '' }) => (key === undefined ? value : `${key}: ${value}`)).join(' ') }];
}
