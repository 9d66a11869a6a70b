import type { OrderLine } from '../trail/order-line.ts';
import type { OrderRecords } from '../trail/order-records.ts';

const TERM = /(\w+):(?:"([^"]*)"|(\S+))|"([^"]*)"|(\S+)/g;
const LENGTH = /^([<>]=?)(\d+(?:\.\d+)?)(ms|s|m)$/;
const UNITS: Record<string, number> = { ms: 1, s: 1000, m: 60_000 };

/** Whether a row fits a search: words of prompts, bodies and ids, and the terms of `GET /_emulator/search`. */
export function searchTest(
  q: string,
  recordsOf: (root: string) => OrderRecords | undefined,
): (line: OrderLine) => boolean {
  const tests = [...q.matchAll(TERM)].map(([, name, quoted, plain, phrase, word]) =>
    name === undefined
      ? wordTest(phrase ?? word ?? '')
      : (TERMS[name]?.(quoted ?? plain ?? '') ?? wordTest(`${name}:${quoted ?? plain}`)),
  );
  return (line) => tests.every((test) => test(line, recordsOf));
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
