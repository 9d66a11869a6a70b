import { expect, it } from 'vitest';
import { type SongBrief, Songwriter } from '../../../../src/engine/generation/songwriter/songwriter.ts';
import { world } from '../../../support/world.ts';

const songwriter = new Songwriter();
const song = (order: Partial<SongBrief>) =>
  songwriter.writeSong({ seconds: 240, instrumental: false, seed: 7, ...order });

/** A line of each language's choruses, whichever of them is chosen. */
const HEARD: Record<string, RegExp> = {
  English: /\b(?:the|and|you|my)\b/i,
  German: /\b(?:Bleib bei mir|Wir sind wach)\b/,
  French: /\b(?:Reste encore|On est là)/,
  Spanish: /\b(?:Quédate|Aquí estamos)\b/,
  Portuguese: /\b(?:Fica aqui|Somos nós)/,
  Italian: /\b(?:Resta qui|Siamo noi)\b/,
  Japanese: /(?:そばにいて|ここにいる)/,
};

it.each([
  ['German', { style: 'German, female vocals, pop' }],
  ['German', { prompt: 'ein trauriges Lied über die letzte Straßenbahn' }],
  ['German', { prompt: 'a song about the sea, sung in German' }],
  ['German', { prompt: 'Schlager auf Deutsch' }],
  ['French', { style: 'chanson française, accordéon' }],
  ['French', { prompt: 'une chanson douce sur la pluie' }],
  ['Spanish', { style: 'Spanish, male vocals, latin' }],
  ['Spanish', { prompt: 'una canción alegre sobre el verano' }],
  ['Portuguese', { prompt: 'uma canção triste sobre a saudade' }],
  ['Portuguese', { style: 'bossa nova, Portuguese' }],
  ['Italian', { prompt: 'una canzone dolce per mia nonna' }],
  ['Italian', { style: 'Italian, duet vocals' }],
  ['Japanese', { style: 'Japanese, city pop' }],
  ['Japanese', { prompt: '雨の日についての静かな歌を作ってください、お願いします' }],
  ['English', { prompt: 'a sad song about a cat and a dog' }],
  ['English', { prompt: 'a song about a German shepherd' }],
  ['English', { style: 'slow, french horn, spanish guitar, strings' }],
  ['English', { prompt: 'no one is on a boat as I do' }],
  ['English', {}],
])('writes %s lyrics for %j, enough of them for the longest song [I224]', (language, order) => {
  const { lyrics, style, title, isFallback } = song({
    ...(Object.keys(order).length ? order : { style: 'folk' }),
    ...order,
  });
  expect(lyrics).toMatch(HEARD[language] ?? /$^/);
  for (const [other, heard] of Object.entries(HEARD)) {
    if (other !== language && other !== 'English') expect(lyrics).not.toMatch(heard);
  }
  if (!('style' in order) && 'prompt' in order) expect(style.split(', ')[0]).toBe(language);
  expect(title).not.toBe('');
  expect(lyrics).not.toMatch(/[{}]|undefined/);
  const lines = (lyrics ?? '').split('\n').filter((line) => line && !line.startsWith('['));
  expect(lines.length).toBeGreaterThan(55);
  expect(isFallback).toBe(false);
});

it('sings of what the prompt is about, where the prompt is in its language [I224]', () => {
  expect(song({ prompt: 'ein Lied über die Straßenbahn' }).lyrics).toContain('Straßenbahn');
  expect(song({ prompt: 'una canción sobre el ferrocarril' }).lyrics).toMatch(/ferrocarril/i);
  expect(song({ prompt: 'a German song about the old lighthouse' }).lyrics).not.toContain('lighthouse');
});

const here = await world();
const ORDER = { seconds: 30, n: 1 };

it.each([
  [{ style: 'Korean, dance pop' }, 'style;language'],
  [{ prompt: 'песня о море и ветре' }, 'style;language'],
  [{ prompt: 'a lullaby in Swedish' }, 'style;language'],
  [{ style: 'Italian, ballad' }, null],
  [{ style: 'Korean, dance pop', lyrics: 'Stay with me' }, null],
  [{ style: 'Korean, dance pop', instrumental: true }, null],
])('answers %j with the warnings %s [I224]', async (words, warned) => {
  const ana = await here.account();
  const { status, body, headers } = await ana.post('/music/generations', { ...words, ...ORDER });
  expect([status, headers.get('svc-emulator-warnings')]).toEqual([202, warned]);
  if (warned) expect(body.lyrics).toMatch(HEARD.English ?? /$^/);
});
