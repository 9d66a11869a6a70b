/** Shorter ones are in words of any report. */
const SHORTEST = 8;

/** A copy of what is about to be written, in which each text that spells the API key is `…`. */
export function withoutKey<Value>(value: Value, key: string): Value {
  const spelled = spellings(key);
  const copy = (each: unknown): unknown => {
    if (typeof each === 'string') return isSpelled(each, spelled) ? '…' : each;
    if (Array.isArray(each)) return each.map(copy);
    if (typeof each !== 'object' || each === null) return each;
    return Object.fromEntries(Object.entries(each).map(([name, inside]) => [copy(name), copy(inside)]));
  };
  return copy(value) as Value;
}

/** Whether a text spells the key: as it is, in other capitals, backwards, escaped, encoded, or with other signs between. */
export function spellsKey(text: string, key: string): boolean {
  return isSpelled(text, spellings(key));
}

/** What is looked for in the letters and digits of a text. */
interface Spellings {
  anyCase: readonly string[];
  base64: readonly string[];
}

function spellings(key: string): Spellings {
  const letters = lettersIn(key).toLowerCase();
  if (letters.length < SHORTEST) return { anyCase: [], base64: [] };
  const backwards = [...letters].toReversed().join('');
  const hex = Buffer.from(key).toString('hex');
  return { anyCase: [letters, backwards, hex], base64: [0, 1, 2].map((shift) => base64At(key, shift)) };
}

/** The part of a base64 that every text has in it that has the key so many bytes after a group of three. */
function base64At(key: string, shift: number): string {
  const whole = Buffer.from('\0'.repeat(shift) + key)
    .toString('base64')
    .replace(/={1,2}$/, '');
  const end = (shift + key.length) % 3 === 0 ? whole.length : whole.length - 1;
  return lettersIn(whole.slice([0, 2, 3][shift], end));
}

function isSpelled(text: string, { anyCase, base64 }: Spellings): boolean {
  return [text, unescaped(text)].some((each) => {
    const letters = lettersIn(each);
    const lower = letters.toLowerCase();
    return anyCase.some((one) => lower.includes(one)) || base64.some((one) => letters.includes(one));
  });
}

function lettersIn(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9]/g, '');
}

/** With `%73`, `\u0073`, `\x73` and `&#x73;` as the letters that they are. */
function unescaped(text: string): string {
  const coded = /%([0-9a-f]{2})|\\u00([0-9a-f]{2})|\\x([0-9a-f]{2})|&#x([0-9a-f]{2});/gi;
  return text.replaceAll(coded, (_all, ...codes: unknown[]) => {
    const code = codes.slice(0, 4).find((each) => typeof each === 'string');
    return String.fromCharCode(Number.parseInt(String(code), 16));
  });
}
