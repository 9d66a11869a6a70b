import { sayOrdinal, spokenNumbers } from './spoken-numbers.ts';

const MONTHS = 'January February March April May June July August September October November December'.split(' ');
const MONTH = MONTHS.map((month) => (month === 'May' ? month : `${month}|${month.slice(0, 3)}\\.?`)).join('|');
/** What stands for words wherever it stands. */
const SIGNS: [RegExp, string][] = [
  [/\s&\s/g, ' and '],
  [/(?<=\w)@(?=\w)/g, ' at '],
  [/#(?=\d)/g, 'number '],
  [/(?<=\d)\s?\+\s?(?=\d)/g, ' plus '],
  [/(?<=[\w)])\s=\s(?=[\w(])/g, ' equals '],
  [/(?<=\d)\s?°\s?C\b/g, ' degrees Celsius'],
  [/(?<=\d)\s?°\s?F\b/g, ' degrees Fahrenheit'],
  [/\be\.g\.,?/gi, 'for example'],
  [/\bi\.e\.,?/gi, 'that is'],
  [/(?<=\d)\s?a\.?m\b\.?/gi, ' A M'],
  [/(?<=\d)\s?p\.?m\b\.?/gi, ' P M'],
];
const SHORT: Record<string, string> = {
  ...{ Mr: 'mister', Mrs: 'missis', Ms: 'miss', Dr: 'doctor', Prof: 'professor', St: 'saint', Jr: 'junior' },
  ...{ Sr: 'senior', vs: 'versus', etc: 'et cetera', approx: 'approximately', No: 'number', Dept: 'department' },
};
const SHORTENED = new RegExp(`\\b(${Object.keys(SHORT).join('|')})\\.(?=[ ,])`, 'g');
/** Of one and of more. */
const UNITS: Record<string, [one: string, more: string]> = {
  ...{ km: ['kilometer', 'kilometers'], cm: ['centimeter', 'centimeters'], mm: ['millimeter', 'millimeters'] },
  ...{ kg: ['kilogram', 'kilograms'], mg: ['milligram', 'milligrams'], lb: ['pound', 'pounds'], ft: ['foot', 'feet'] },
  ...{
    ms: ['millisecond', 'milliseconds'],
    min: ['minute', 'minutes'],
    hrs: ['hour', 'hours'],
    mph: ['mile an hour', 'miles an hour'],
  },
  ...{
    KB: ['kilobyte', 'kilobytes'],
    MB: ['megabyte', 'megabytes'],
    GB: ['gigabyte', 'gigabytes'],
    Hz: ['hertz', 'hertz'],
  },
};
const UNIT = new RegExp(`([\\d.,]?)(\\d)\\s?(${Object.keys(UNITS).join('|')})\\b`, 'g');

/** An English text as it is said: dates, times, money, numbers, units and usual abbreviations become words. */
export function spokenText(text: string): string {
  const signs = SIGNS.reduce((said, [sign, words]) => said.replace(sign, words), text);
  const words = signs
    .replace(/\b(?:[A-Z]\.){2,}/g, (initials) => initials.replaceAll('.', ' '))
    .replace(SHORTENED, (_whole, word: string) => SHORT[word] ?? word)
    .replace(UNIT, (_whole, before: string, digit: string, unit: string) => {
      const [one, more] = UNITS[unit] ?? ['', ''];
      const isOne = digit === '1' && before === '';
      return `${before}${digit} ${isOne ? one : more}`;
    });
  return spokenNumbers(sayTimes(sayDates(words)));
}

/** `2024-05-12` and `May 12, 2024`: the day is an ordinal. */
function sayDates(text: string): string {
  return text
    .replace(
      /\b(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])\b/g,
      (_whole, year: string, month: string, day: string) => {
        return `${MONTHS[Number(month) - 1]} ${sayOrdinal(day)}, ${year}`;
      },
    )
    .replace(
      new RegExp(`\\b(${MONTH}) (\\d{1,2})(?![\\d:])`, 'g'),
      (_whole, month: string, day: string) => `${monthOf(month)} ${sayOrdinal(day)}`,
    );
}

function monthOf(written: string): string {
  return MONTHS.find((month) => month.startsWith(written.slice(0, 3))) ?? written;
}

/** `9:30` is `nine thirty`, `9:05` is `nine oh five`, `9:00` is `nine o'clock`. */
function sayTimes(text: string): string {
  return text.replace(
    /\b([01]?\d|2[0-3]):([0-5]\d)(?![:\d])( [AP] M)?/g,
    (_whole, hour: string, minute: string, half = '') => {
      const plain = `${Number(hour)}`;
      if (minute === '00') return half === '' ? `${plain} o'clock` : plain + half;
      return `${plain} ${minute.startsWith('0') ? `oh ${Number(minute)}` : minute}${half}`;
    },
  );
}
