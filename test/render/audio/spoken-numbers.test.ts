import { expect, it } from 'vitest';
import { spokenText } from '../../../src/render/speech/spoken-numbers.ts';

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
])('says %s as %s', (written, spoken) => {
  expect(spokenText(written)).toBe(spoken);
});

it('names the digits of what nobody says as one number', () => {
  expect(spokenText('1234567890123')).toBe('one two three four five six seven eight nine zero one two three');
});
