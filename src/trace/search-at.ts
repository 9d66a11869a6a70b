import type { OrderLine } from '../trail/order-line.ts';
import type { OrderRecords } from '../trail/order-records.ts';

const LENGTH = /^([<>]=?)(\d+(?:\.\d+)?)(ms|s|m)$/;
const UNITS: Record<string, number> = { ms: 1, s: 1000, m: 60_000 };

/** Whether a row fits a search: words of prompts, bodies and ids, and the terms of `GET /_emulator/search`. */
export function searchTest(
  q: string,
  recordsOf: (root: string) => OrderRecords | undefined,
): (line: OrderLine) => boolean {
  const tests = tokensOf(q).map(testOf);
  return (line) => tests.every((test) => test(line, recordsOf));
}

/** Words between blanks, and what stands between quotes as one. */
function tokensOf(q: string): string[] {
  const tokens: string[] = [];
  for (const [at, part] of q.split('"').entries()) {
    const last = tokens.at(-1);
    if (at % 2 === 0) tokens.push(...part.split(/\s+/).filter(Boolean));
    else if (last?.endsWith(':')) tokens[tokens.length - 1] = last + part;
    else tokens.push(part);
  }
  return tokens;
}

function testOf(token: string): Test {
  const colon = token.indexOf(':');
  return TERMS[token.slice(0, Math.max(0, colon))]?.(token.slice(colon + 1)) ?? wordTest(token);
}

type Test = (line: OrderLine, recordsOf: (root: string) => OrderRecords | undefined) => boolean;

const TERMS: Record<string, (value: string) => Test> = {
  status: (value) => (line) => String(line.fate.answer?.status ?? '').startsWith(value.replace(/xx$/, '')),
  model: (value) => (line) => line.asked.model?.includes(value) === true,
  account: (value) => (line) => line.whose.account_id?.startsWith(value) === true,
  path: (value) => (line) => line.call.path.includes(value),
  is: (value) => (line) => IS[value]?.(line) === true,
  has: (value) => (line, recordsOf) => HAS[value]?.(line, recordsOf) === true,
  took: (value) => (line) => isLong(line.time.took, value),
};

const IS: Record<string, (line: OrderLine) => boolean> = {
  failed: ({ fate }) => fate.tone === 'bad',
  refused: ({ fate }) => fate.deliveries?.tone === 'bad',
  open: ({ time }) => time.is_open,
  done: ({ fate }) => fate.tone === 'good',
};

const HAS: Record<string, Test> = {
  refund: ({ fate }) => fate.money.back > 0,
  job: ({ fate }) => fate.work !== null,
  delivery: ({ fate }) => (fate.deliveries?.of ?? 0) > 0,
  fault: ({ call }) => call.fault !== null,
};

function isLong(took: number, value: string): boolean {
  const [, sign = '', number = '', unit = ''] = LENGTH.exec(value) ?? [];
  const limit = Number(number) * (UNITS[unit] ?? Number.NaN);
  return sign.startsWith('>') ? took > limit : took < limit;
}

function wordTest(word: string): Test {
  const wanted = word.toLowerCase();
  return (line, recordsOf) => {
    if (JSON.stringify([line.asked, line.id, line.call.path, line.error]).toLowerCase().includes(wanted)) return true;
    const records = recordsOf(line.id);
    return records !== undefined && JSON.stringify(records).toLowerCase().includes(wanted);
  };
}
