const ONES =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );
const TENS = ['', '', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'];
const ORDINALS: Record<string, string> = {
  ...{ one: 'first', two: 'second', three: 'third', five: 'fifth', eight: 'eighth', nine: 'ninth', twelve: 'twelfth' },
};
const SCALES: [value: number, name: string][] = [
  [1_000_000_000, 'billion'],
  [1_000_000, 'million'],
  [1000, 'thousand'],
  [100, 'hundred'],
];
const MONEY: Record<string, [one: string, more: string, part: string]> = {
  $: ['dollar', 'dollars', 'cents'],
  '€': ['euro', 'euros', 'cents'],
  '£': ['pound', 'pounds', 'pence'],
};
/** What is longer is a number that nobody says as one: its digits are named. */
const LONGEST = 12;

/** The numbers, years, money and shares of an English text as words. */
export function spokenNumbers(text: string): string {
  return text
    .replace(
      /([$€£])(\d{1,12}(?:,\d{3}){0,3})(?:\.(\d\d))?(?!\d)/g,
      (_whole, sign: string, amount: string, part?: string) => sayMoney(sign, plainDigits(amount), part),
    )
    .replace(/\d{1,3}(?:,\d{3}){1,3}(?![\d,])/g, plainDigits)
    .replace(
      /(\d{1,12})(?:\.(\d{1,6}))?%/g,
      (_whole, whole: string, part?: string) => `${sayDecimal(whole, part)} percent`,
    )
    .replace(/(\d{1,12})\.(\d{1,6})(?![\d.])/g, (_whole, whole: string, part: string) => sayDecimal(whole, part))
    .replace(/\b(\d{1,9})(?:st|nd|rd|th)\b/g, (_whole, digits: string) => sayOrdinal(digits))
    .replace(/\d{1,40}/g, sayWhole);
}

/** `21` is `twenty first`. */
export function sayOrdinal(digits: string): string {
  const words = cardinal(Number(digits)).split(' ');
  const last = words.pop() ?? '';
  const ordinal = ORDINALS[last] ?? (last.endsWith('y') ? `${last.slice(0, -1)}ieth` : `${last}th`);
  return [...words, ordinal].join(' ');
}

function plainDigits(number: string): string {
  return number.replaceAll(',', '');
}

function sayMoney(sign: string, amount: string, part?: string): string {
  const [one, more, parts] = MONEY[sign] ?? ['', '', ''];
  const said = `${sayNumber(amount)} ${Number(amount) === 1 ? one : more}`;
  return part === undefined || part === '00' ? said : `${said} and ${sayNumber(part)} ${parts}`;
}

function sayDecimal(whole: string, part?: string): string {
  return part === undefined ? sayNumber(whole) : `${sayNumber(whole)} point ${sayDigits(part)}`;
}

/** Of four digits between 1100 and 2099 a year is more likely than an amount. */
function sayWhole(digits: string): string {
  const value = Number(digits);
  const isYear = digits.length === 4 && value >= 1100 && value < 2100 && value % 1000 > 9;
  if (!isYear) return sayNumber(digits);
  const [century, rest] = [Math.floor(value / 100), value % 100];
  const end = rest === 0 ? 'hundred' : rest < 10 ? `oh ${ONES[rest]}` : belowHundred(rest);
  return `${belowHundred(century)} ${end}`;
}

function sayNumber(digits: string): string {
  const isCode = digits.length > LONGEST || (digits.length > 1 && digits.startsWith('0'));
  return isCode ? sayDigits(digits) : cardinal(Number(digits));
}

function sayDigits(digits: string): string {
  return Array.from(digits, (digit) => ONES[Number(digit)] ?? '').join(' ');
}

function cardinal(value: number): string {
  if (value < 100) return belowHundred(value);
  const [size, name] = SCALES.find(([scale]) => value >= scale) ?? [100, 'hundred'];
  const rest = value % size;
  const head = `${cardinal(Math.floor(value / size))} ${name}`;
  if (rest === 0) return head;
  return `${head} ${rest < 100 ? 'and ' : ''}${cardinal(rest)}`;
}

function belowHundred(value: number): string {
  if (value < 20) return ONES[value] ?? '';
  const rest = value % 10;
  return `${TENS[Math.floor(value / 10)]}${rest === 0 ? '' : ` ${ONES[rest]}`}`;
}
