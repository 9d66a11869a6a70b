import fc from 'fast-check';
import { parseBuffer } from 'music-metadata';
import { expect, it } from 'vitest';
import { encodeId3Tag, encodeSpeechTag, id3TagLength, parseId3Tag } from '../../../src/media/mp3/id3-tag.ts';
import { encodeInfoFrame, parseFrameHeader, parseInfoTag } from '../../../src/media/mp3/stream-format.ts';
import { ANY_CHARACTER } from '../../support/any-character.ts';
import { bareFrames } from './audio-samples.ts';

it.each([
  ['fffbe404', { version: 1, sampleRate: 48000, channels: 2, bitrate: 320000, bytes: 960 }],
  ['fffb9064', { version: 1, sampleRate: 44100, channels: 2, bitrate: 128000, bytes: 417 }],
  ['fffb92c4', { version: 1, sampleRate: 44100, channels: 1, bitrate: 128000, bytes: 418 }],
  ['fff384c4', { version: 2, sampleRate: 24000, channels: 1, bitrate: 64000, bytes: 192 }],
  ['ffe34064', { version: 2.5, sampleRate: 11025, channels: 2, bitrate: 32000, bytes: 208 }],
])('reads the MP3 frame header %s [R048 R049]', (hex, expected) => {
  expect(parseFrameHeader(Buffer.from(hex, 'hex'), 0)).toMatchObject(expected);
});

it.each([
  ['a reserved version', 'ffeb9064'],
  ['Layer II', 'fffd9064'],
  ['AAC', 'fff15080'],
  ['a reserved bitrate', 'fffbf064'],
  ['a free bitrate', 'fffb0064'],
  ['a reserved sample rate', 'fffb9c64'],
  ['three bytes', 'fffb90'],
])('finds no MP3 frame in a header of %s', (_what, hex) => {
  expect(parseFrameHeader(Buffer.from(hex, 'hex'), 0)).toBeUndefined();
});

it('writes an MP3 Info frame that can be read again', () => {
  const frame = bareFrames(1);
  const header = parseFrameHeader(frame, 0);
  if (!header) throw new Error('no header');
  const info = encodeInfoFrame(frame, header, { frames: 500, delay: 576, padding: 1234 });
  expect(parseInfoTag(info, 0, header)).toEqual({ frames: 500, delay: 576, padding: 1234 });
});

it('writes any text into an ID3 tag that can be read again [I068]', () => {
  const text = fc.string({ unit: ANY_CHARACTER, maxLength: 300 });
  const property = fc.property(text, text, (title, lyrics) => {
    const tag = encodeId3Tag([
      { frame: 'TIT2', text: title },
      { frame: 'USLT', text: lyrics },
      { frame: 'TXXX', name: 'seed', text: '42' },
    ]);
    expect(id3TagLength(tag, 0)).toBe(tag.length);
    expect(parseId3Tag(tag)).toEqual([
      { frame: 'TIT2', text: title },
      { frame: 'USLT', text: lyrics },
      { frame: 'TXXX', name: 'seed', text: '42' },
    ]);
  });
  fc.assert(property, { numRuns: 100 });
});

it('writes ID3 tags that another library reads [I068]', async () => {
  const words = 'Grüße, 世界 🎵\nσήμερα';
  const tag = encodeSpeechTag({ kind: 'speech', model: 'm', text: words, voice: 'aria' }, 0);
  const read = await parseBuffer(Buffer.concat([tag, bareFrames(40)]), 'audio/mpeg');
  expect(read.common.title).toBe('Speech by aria');
  expect(read.common.lyrics?.[0]?.text).toBe(words);
});

it('reads ID3 tags of version 2.3 with UTF-16 texts of either byte order', () => {
  const frame = (text: Buffer) => Buffer.concat([Buffer.from('TIT2\0\0\0'), Buffer.from([text.length, 0, 0]), text]);
  const little = frame(Buffer.concat([Buffer.from([1, 0xff, 0xfe]), Buffer.from('ä1', 'utf16le')]));
  const big = frame(Buffer.from([1, 0xfe, 0xff, 0, 0xe4, 0, 0x31]));
  const header = Buffer.from([0x49, 0x44, 0x33, 3, 0, 0, 0, 0, 0, little.length + big.length]);
  const title = { frame: 'TIT2', text: 'ä1' };
  expect(parseId3Tag(Buffer.concat([header, little, big]))).toEqual([title, title]);
});
