import fc from 'fast-check';
import { expect, it } from 'vitest';
import { EmulatorError } from '../../../src/base/errors.ts';
import { probeAudio } from '../../../src/media/audio-probe.ts';
import { parseFrameHeader } from '../../../src/media/mp3/frame-header.ts';
import { songTag, speechTag } from '../../../src/media/mp3/own-tag.ts';
import { SONG_FORMAT, writeInfoFrame } from '../../../src/media/mp3/stream-format.ts';
import { bareFrames, foreignTag, waveFile } from './audio-samples.ts';

const song = { kind: 'song', model: 'm', title: 't', style: 's', seconds: 30, seed: 1 } as const;
const FACTS = { genre: 'Pop', tempo: 120, key: 'C', length: 30_000 };

function fault(bytes: Buffer): EmulatorError {
  try {
    probeAudio(bytes);
  } catch (error) {
    if (error instanceof EmulatorError) return error;
    throw error;
  }
  throw new Error('The file passed.');
}

function changed(bytes: Buffer, at: number, value: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt32LE(value, at);
  return copy;
}

function infoFrame(frames: number, padding = 0): Buffer {
  const model = bareFrames(1);
  const header = parseFrameHeader(model, 0);
  if (!header) throw new Error('no header');
  return writeInfoFrame(model, header, { frames, delay: 576, padding });
}

it.each([
  ['16-bit mono', waveFile(32_000), 1],
  ['24-bit stereo', waveFile(288_000 * 2, { channels: 2, bits: 24, sampleRate: 48_000 }), 2],
  ['32-bit float', waveFile(64_000, { tag: 3, bits: 32 }), 1],
  ['telephone law', waveFile(4_000, { tag: 7, bits: 8, sampleRate: 8_000 }), 0.5],
  ['streamed, of unknown size', changed(changed(waveFile(16_000), 4, 2 ** 32 - 1), 40, 2 ** 32 - 1), 0.5],
])('measures a WAV file, %s [R172]', (_what, bytes, seconds) => {
  expect(probeAudio(bytes)).toEqual({ format: 'wav', seconds });
});

it.each([
  ['bare frames', bareFrames(50), 50 * 0.024],
  ['a foreign tag', Buffer.concat([foreignTag(), bareFrames(50)]), 50 * 0.024],
  ['a tag behind', Buffer.concat([bareFrames(50), Buffer.from('TAG'), Buffer.alloc(125)]), 50 * 0.024],
  ['an Info tag', Buffer.concat([infoFrame(50, 1152), bareFrames(50)]), (50 * 1152 - 1105 - 623) / 48_000],
  ['one frame', bareFrames(1), 0.024],
])('measures an MP3 file, %s [R173]', (_what, bytes, seconds) => {
  expect(probeAudio(bytes)).toEqual({ format: 'mp3', seconds });
});

it('gives back the words that tags of ours carry [I068]', () => {
  const spoken = speechTag({ kind: 'speech', model: 'm', text: 'Ça va? 👋', voice: 'orion' }, 0);
  const sung = songTag({ ...song, lyrics: '[Verse]\nLa la' }, FACTS, 0);
  const played = songTag({ ...song, lyrics: null }, FACTS, 0);
  const heard = [spoken, sung, played].map((tag) => probeAudio(Buffer.concat([tag, bareFrames(9)])).text);
  expect(heard).toEqual(['Ça va? 👋', '[Verse]\nLa la', '']);
});

it.each([
  ['nothing', Buffer.alloc(0)],
  ['text', Buffer.from('just some words, no audio at all')],
  ['a PNG', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')],
  ['an AVI file', Buffer.from('RIFF\x10\0\0\0AVI LIST0000')],
  ['Ogg', Buffer.concat([Buffer.from('OggS'), Buffer.alloc(60)])],
  ['FLAC behind a tag', Buffer.concat([foreignTag(), Buffer.from('fLaC'), Buffer.alloc(60)])],
  ['AAC', Buffer.from('fff15080000000fff15080000000', 'hex')],
  ['a header by chance', Buffer.concat([bareFrames(1), Buffer.alloc(100, 7)])],
  ['WMA 2 in WAV', waveFile(32_000, { tag: 0x161 })],
  ['AC-3 in WAV', waveFile(32_000, { tag: 0x2000 })],
  ['AAC in WAV', waveFile(32_000, { tag: 0xff })],
  ['AMR in WAV', waveFile(32_000, { tag: 0x57 })],
  ['MP3 in WAV', waveFile(32_000, { tag: 0x55 })],
])('refuses %s as another medium [R172 R173]', (_what, bytes) => {
  expect(fault(bytes)).toMatchObject({ code: 'unsupported_media_type', param: 'file' });
});

it.each([
  ['a WAV file cut in its samples', waveFile(32_000).subarray(0, 20_000), '32044 bytes'],
  ['a WAV file cut in its header', waveFile(32_000).subarray(0, 10), 'twelve'],
  ['a WAV file whose samples pass its end', changed(waveFile(320), 40, 999_999), '"data" chunk says 999999'],
  ['a WAV file that says too little', changed(waveFile(320), 4, 20), '"fmt "'],
  ['a WAV file without format', Buffer.from('RIFF\x10\0\0\0WAVEdata\x04\0\0\0abcd'), '"fmt "'],
  ['a WAV file without channels', waveFile(32, { channels: 0, blockBytes: 2 }), '0 channels'],
  ['a WAV file of 0 Hz', waveFile(32, { sampleRate: 0 }), '0 Hz'],
  ['a WAV file with odd blocks', waveFile(32, { blockBytes: 3 }), '3 bytes a sample'],
  ['a WAV file with another rate', waveFile(32, { bytesPerSecond: 77 }), '77 bytes a second'],
  ['a WAV file without samples', waveFile(0), 'no sample'],
  ['an MP3 file cut in a frame', bareFrames(9).subarray(0, 8_000), 'byte 7680'],
  ['an MP3 file cut between frames', Buffer.concat([infoFrame(50), bareFrames(40)]), '50 frames, it has 40'],
  ['an MP3 file with a hole', Buffer.concat([bareFrames(5), Buffer.alloc(50, 9), bareFrames(5)]), 'byte 4800'],
  ['an MP3 file without sound', infoFrame(0), 'no frame'],
  ['a tag longer than the file', foreignTag().subarray(0, 30), 'longer than the file'],
])('refuses %s [R172 R173]', (_what, bytes, told) => {
  const error = fault(bytes);
  expect(error).toMatchObject({ code: 'invalid_request', param: 'file' });
  expect(error.message).toContain(told);
});

it('answers or refuses any bytes, and never fails otherwise [R172 R173]', () => {
  const whole = fc.constantFrom(
    waveFile(3_200),
    Buffer.concat([infoFrame(6), bareFrames(6)]),
    Buffer.concat([songTag({ ...song, lyrics: 'x' }, FACTS, 0), bareFrames(4)]),
  );
  const edits = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 8 });
  const damaged = fc.tuple(whole, edits, fc.nat()).map(([bytes, changes, end]) => {
    const copy = Buffer.from(bytes.subarray(0, end % (bytes.length + 1)));
    for (const [at, value] of changes) if (copy.length > 0) copy[at % Math.min(copy.length, 200)] = value;
    return copy;
  });
  const random = fc.uint8Array({ maxLength: 600 }).map((bytes) => Buffer.from(bytes));
  const property = fc.property(fc.oneof(damaged, random), (bytes) => {
    const outcome = attempt(bytes);
    expect(['wav', 'mp3', 'unsupported_media_type', 'invalid_request']).toContain(outcome);
  });
  fc.assert(property, { numRuns: 1500 });
});

function attempt(bytes: Buffer): string {
  try {
    const { format, seconds } = probeAudio(bytes);
    return Number.isFinite(seconds) && seconds >= 0 ? format : `${seconds} s`;
  } catch (error) {
    return error instanceof EmulatorError ? error.code : String(error);
  }
}

it('walks a hundred megabytes of frames to their end', () => {
  const bytes = Buffer.concat(Array.from({ length: 100 }, () => bareFrames(1000)));
  expect(probeAudio(bytes).seconds).toBeCloseTo((100_000 * SONG_FORMAT.frameSamples) / 48_000, 6);
});
