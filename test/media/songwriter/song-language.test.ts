import { expect, it } from 'vitest';
import { type SongBrief, Songwriter } from '../../../src/media/songwriter/songwriter.ts';
import { world } from '../../support/world.ts';

const songwriter = new Songwriter();
const song = (order: Partial<SongBrief>) =>
  songwriter.writeSong({ seconds: 240, instrumental: false, seed: 7, ...order });

/** A pattern for the choruses of each language, which matches whichever chorus is chosen. */
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
  ['English', { style: 'folk' }],
])('writes %s lyrics for %j, enough for the longest song [I224]', (language, order) => {
  const { lyrics, style, title, isFallback } = song(order);
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

it.each([
  '一首关于雨天的抒情歌',
  '한국어로 부르는 여름 노래',
  'Песня о море и старом маяке',
  'أغنية حب هادئة',
  'เพลงรักเศร้า',
  'En visa om sommaren vid sjön',
  'piosenka o wakacjach nad morzem',
  'kesälaulu meren rannalta',
  'Aşk üzerine bir şarkı',
])('uses no word of a prompt in a language that it does not sing: %j [I224]', (prompt) => {
  const { lyrics, title } = song({ prompt });
  const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? [];
  const sung = new Set(wordsOf(`${title}\n${lyrics}`));
  expect(wordsOf(prompt).filter((word) => word.length > 1 && sung.has(word))).toEqual([]);
  expect(lyrics).not.toMatch(/[^\p{ASCII}’]/u);
});

it('does not insert a prompt in one language into lyrics in another [I224]', () => {
  expect(song({ prompt: '東京の夜', style: 'German, pop' }).lyrics).not.toContain('東京');
  expect(song({ prompt: 'a German song about the old lighthouse' }).lyrics).not.toContain('lighthouse');
});

it.each([
  ['一首关于雨天的抒情歌', 'ballad'],
  ['写一首摇滚歌曲,主题是自由', 'rock'],
  ['爵士乐,深夜酒吧', 'jazz'],
  ['恋のバラード', 'ballad'],
  ['子守唄', 'lullaby'],
  ['夏日重金属', 'metal'],
  ['한국 발라드', 'ballad'],
  ['Рок-баллада о любви', 'ballad'],
  ['eine Schlagerballade über Heimweh', 'ballad'],
  ['ein Wiegenlied für meinen Sohn', 'lullaby'],
  ['une berceuse pour ma fille', 'lullaby'],
  ['una bachata triste', 'latin'],
  ['un valse à Paris', 'waltz'],
  ['a lullaby for the moon', 'lullaby'],
])('writes a song in the genre that the prompt %j names', (prompt, genre) => {
  expect(song({ prompt }).style.split(', ')).toContain(genre);
});

it('mentions in the lyrics at least one of two subjects that a prompt names', () => {
  expect(song({ prompt: 'a song about Björk and the sea' }).lyrics).toMatch(/Björk|the sea/);
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
])('returns for a song of %j the warnings %s [I224]', async (words, warned) => {
  const ana = await here.account();
  const { status, body, headers } = await ana.post('/music/generations', { ...words, ...ORDER });
  expect([status, headers.get('svc-emulator-warnings')]).toEqual([202, warned]);
  if (warned) expect(body.lyrics).toMatch(HEARD.English ?? /$^/);
});
