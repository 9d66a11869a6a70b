import { expect, it } from 'vitest';
import { spokenText } from '../../../src/media/speech/spoken-text.ts';

it.each([
  ['7 boats', 'seven boats'],
  ['42', 'forty two'],
  ['115 and 1,250,000', 'one hundred and fifteen and one million two hundred and fifty thousand'],
  ['in 1984, 1905, 2005', 'in nineteen eighty four, nineteen oh five, two thousand and five'],
  ['2000 of 3000', 'two thousand of three thousand'],
  ['$5.50 or €1', 'five dollars and fifty cents or one euro'],
  ['£1,200.00', 'one thousand two hundred pounds'],
  ['3.14 is 12.5%', 'three point one four is twelve point five percent'],
  ['Dr. Who vs. Mr. X', 'doctor Who versus mister X'],
  ['code 007', 'code zero zero seven'],
  ['no number. Nothing', 'no number. Nothing'],
  ['on 2024-05-12', 'on May twelfth, twenty twenty four'],
  ['Dec. 21 and July 4, 1999', 'December twenty first and July fourth, nineteen ninety nine'],
  ['at 9:30, 9:05 pm and 12:00', "at nine thirty, nine oh five P M and twelve o'clock"],
  ['the 3rd, the 20th', 'the third, the twentieth'],
  ['5 km in 1 min, 300ms', 'five kilometers in one minute, three hundred milliseconds'],
  ['salt & pepper, e.g. 20 °C', 'salt and pepper, for example twenty degrees Celsius'],
  ['#1 of 2 + 2', 'number one of two plus two'],
])('says %s as %s', (written, spoken) => {
  expect(spokenText(written)).toBe(spoken);
});

it('names the digits of what nobody says as one number', () => {
  expect(spokenText('1234567890123')).toBe('one two three four five six seven eight nine zero one two three');
});

it('names initials one by one', () => {
  expect(spokenText('the U.S.A. and the E.U.').replace(/\s+/g, ' ').trim()).toBe('the U S A and the E U');
});
