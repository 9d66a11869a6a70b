import fc from 'fast-check';
import { expect, it } from 'vitest';
import { EmulatorError } from '../../../src/base/errors.ts';
import { probeAudio } from '../../../src/media/audio-probe.ts';
import { encodeSongTag, encodeSpeechTag } from '../../../src/media/mp3/id3-tag.ts';
import { encodeInfoFrame, parseFrameHeader, SONG_FORMAT } from '../../../src/media/mp3/stream-format.ts';
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
  return encodeInfoFrame(model, header, { frames, delay: 576, padding });
}

const HALF = waveFile(16_000);

/** Half a second of sound whose header states these sizes of the file and of its samples. */
function stating(riff: number, data: number): Buffer {
  return changed(changed(HALF, 4, riff), 40, data);
}

/** The same sound with other chunks before and after its samples. */
function around(before: Buffer, after: Buffer = Buffer.alloc(0)): Buffer {
  return Buffer.concat([HALF.subarray(0, 36), before, HALF.subarray(36), after]);
}

function chunk(name: string, body: Buffer, size = body.length): Buffer {
  const header = Buffer.alloc(8);
  header.write(name, 0, 'latin1');
  header.writeUInt32LE(size, 4);
  return Buffer.concat([header, body]);
}

function formatted(body: Buffer): Buffer {
  return Buffer.concat([HALF.subarray(0, 12), chunk('fmt ', body), HALF.subarray(36)]);
}

const FORMAT = HALF.subarray(20, 36);
const MAX = 2 ** 32 - 1;
const SIZES = Buffer.alloc(28);
SIZES.writeBigUInt64LE(16_000n, 8);
const RF64 = Buffer.concat([Buffer.from('RF64'), stating(MAX, MAX).subarray(4, 12), chunk('ds64', SIZES)]);

const ODD_WAV: [string, Buffer][] = [
  ['of 16 bits in mono', HALF],
  ['of 24 bits in stereo', waveFile(144_000, { channels: 2, bits: 24, sampleRate: 48_000 })],
  ['of 32-bit floating-point numbers', waveFile(32_000, { tag: 3, bits: 32 })],
  ['of 8 bits by the µ-law', waveFile(4_000, { tag: 7, bits: 8, sampleRate: 8_000 })],
  ['that ends too early', waveFile(32_000).subarray(0, 44 + 16_000)],
  ['of unknown size', stating(MAX, MAX)],
  ['of unknown size in its samples only', stating(16_036, MAX)],
  ['of unknown size in its header only', stating(MAX, 16_000)],
  ['by espeak-ng and SoX', stating(0x7ffff024, 0x7ffff000)],
  ['by ElevenLabs', stating(0x7fffffff, 0x7fffffff)],
  ['by arecord', stating(0x80000024, 0x80000000)],
  ['of size zero', stating(0, 0)],
  ['whose header states the right size but no samples', stating(16_036, 0)],
  ['whose header states eight bytes too many', stating(16_044, 16_000)],
  ['whose header states four bytes too few, as by Recorder.js', stating(16_032, 16_000)],
  ['whose samples pass its end', stating(16_036, 999_999)],
  ['whose header states too small a size', stating(20, 16_000)],
  ['with the byte rate and blocks of two channels for one', changed(changed(HALF, 28, 64_000), 32, 0x00100004)],
  ['with a list before its samples', around(chunk('LIST', Buffer.from('INFOISFT\x06\0\0\0Lavf61')))],
  ['with an odd list and its padding', around(Buffer.concat([chunk('LIST', Buffer.from('INFOabc')), Buffer.alloc(1)]))],
  [
    'with bext, JUNK, fact and ID3',
    around(Buffer.concat(['bext', 'JUNK', 'fact', 'id3 '].map((name) => chunk(name, Buffer.alloc(8))))),
  ],
  ['with a list after its samples', around(Buffer.alloc(0), chunk('LIST', Buffer.from('INFO')))],
  ['with a short format', formatted(FORMAT.subarray(0, 14))],
  ['with a format of 18 bytes', formatted(Buffer.concat([FORMAT, Buffer.alloc(2)]))],
  ['with sizes of 64 bits', Buffer.concat([RF64, stating(MAX, MAX).subarray(12)])],
];

it.each(ODD_WAV)('measures the length of a WAV file %s [R172]', (_what, bytes) => {
  expect(probeAudio(bytes)).toEqual({ format: 'wav', seconds: 0.5 });
});

const APE = Buffer.concat([
  Buffer.from('APETAGEX'),
  Buffer.from('d00700002800000001000000000000a000000000000000000000000000000000', 'hex').subarray(0, 24),
  Buffer.alloc(40),
]);
const CUT = bareFrames(60);
const HOLE = Buffer.concat([bareFrames(25), Buffer.alloc(500, 9), bareFrames(25)]);

const ODD_MP3: [string, Buffer, number][] = [
  ['after an APE tag', Buffer.concat([APE, bareFrames(50)]), 50],
  ['after zeros', Buffer.concat([Buffer.alloc(5000), bareFrames(50)]), 50],
  ['cut in a frame', CUT.subarray(0, 50 * 960 + 500), 50],
  ['whose first half is missing', CUT.subarray(9 * 960 + 500), 50],
  ['with fewer frames than its header states', Buffer.concat([infoFrame(99), bareFrames(50)]), 50],
  ['with a hole', HOLE, 50],
];

it.each(ODD_MP3)('measures the length of an MP3 file %s [R173]', (_what, bytes, frames) => {
  const { format, seconds } = probeAudio(bytes);
  // The tolerance covers the delay in an Info tag, which is not part of the sound.
  expect([format, Math.abs(seconds - frames * 0.024) < 0.05]).toEqual(['mp3', true]);
});

it.each([
  ['50 frames', bareFrames(50), 50 * 0.024],
  ['a tag of another program', Buffer.concat([foreignTag(), bareFrames(50)]), 50 * 0.024],
  ['a tag at its end', Buffer.concat([bareFrames(50), Buffer.from('TAG'), Buffer.alloc(125)]), 50 * 0.024],
  ['an Info tag', Buffer.concat([infoFrame(50, 1152), bareFrames(50)]), (50 * 1152 - 1105 - 623) / 48_000],
  ['one frame', bareFrames(1), 0.024],
])('measures the length of an MP3 file with %s [R173]', (_what, bytes, seconds) => {
  expect(probeAudio(bytes)).toEqual({ format: 'mp3', seconds });
});

/** Four frames of 417 bytes that begin with this header in hex. */
function framesOf(header: string): Buffer {
  return Buffer.from(header.padEnd(2 * 417, '0').repeat(4), 'hex');
}

it("returns the text in the tag of the emulator's own audio [I068]", () => {
  const spoken = encodeSpeechTag({ kind: 'speech', model: 'm', text: 'Ça va? 👋', voice: 'orion' }, 0);
  const sung = encodeSongTag({ ...song, lyrics: '[Verse]\nLa la' }, FACTS, 0);
  const played = encodeSongTag({ ...song, lyrics: null }, FACTS, 0);
  const heard = [spoken, sung, played].map((tag) => probeAudio(Buffer.concat([tag, bareFrames(9)])).text);
  expect(heard).toEqual(['Ça va? 👋', '[Verse]\nLa la', '']);
});

it.each([
  ['an empty file', Buffer.alloc(0)],
  ['text', Buffer.from('just some words, no audio at all')],
  ['a PNG', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')],
  ['an AVI file', Buffer.from('RIFF\x10\0\0\0AVI LIST0000')],
  ['Ogg', Buffer.concat([Buffer.from('OggS'), Buffer.alloc(60)])],
  ['FLAC behind a tag', Buffer.concat([foreignTag(), Buffer.from('fLaC'), Buffer.alloc(60)])],
  ['AAC', framesOf('fff15080')],
  ['MPEG Layer II', framesOf('fffd9064')],
  ['MP3 of a reserved version', framesOf('ffeb9064')],
  ['MP3 of a reserved bitrate', framesOf('fffbf064')],
  ['MP3 of a free bitrate', framesOf('fffb0064')],
  ['MP3 of a reserved sample rate', framesOf('fffb9c64')],
  ['a single frame and other bytes', Buffer.concat([bareFrames(1), Buffer.alloc(100, 7)])],
  ['MP3 in WAV', waveFile(32_000, { tag: 0x55 })],
])('rejects %s as an unsupported media type [I015]', (_what, bytes) => {
  expect(fault(bytes)).toMatchObject({ code: 'unsupported_media_type', param: 'file' });
});

it.each([
  ['a WAV file cut in its header', waveFile(32_000).subarray(0, 10), 'twelve'],
  ['a WAV file without format', Buffer.from('RIFF\x10\0\0\0WAVEdata\x04\0\0\0abcd'), 'before its format'],
  ['a WAV file cut behind its format', waveFile(320).subarray(0, 40), 'it has the chunks "fmt "'],
  ['a WAV file cut in its format', waveFile(320).subarray(0, 30), '"fmt " chunk says 16 bytes, 10 follow'],
  [
    'a WAV file whose list passes its end',
    Buffer.concat([waveFile(0).subarray(0, 36), Buffer.from('LIST\xff\xff\0\0data', 'latin1')]),
    '"LIST" chunk says 65535',
  ],
  [
    'a WAV file with an empty chunk of samples and a list',
    Buffer.concat([waveFile(0), Buffer.from('LIST\x04\0\0\0INFO')]),
    'no sample',
  ],
  ['a WAV file without channels', waveFile(32, { channels: 0, blockBytes: 2 }), '0 channels'],
  ['a WAV file of 0 Hz', waveFile(32, { sampleRate: 0 }), '0 Hz'],
  ['a WAV file without samples', waveFile(0), 'no sample'],
  ['an MP3 file without sound', infoFrame(0), 'no frame'],
  ['a tag longer than the file', foreignTag().subarray(0, 30), 'longer than the file'],
])('rejects as audio %s [I006]', (_what, bytes, told) => {
  const error = fault(bytes);
  expect(error).toMatchObject({ code: 'invalid_request', param: 'file' });
  expect(error.message).toContain(told);
});

it('measures any damaged audio or rejects it with a documented error', () => {
  const whole = fc.constantFrom(
    waveFile(3_200),
    Buffer.concat([infoFrame(6), bareFrames(6)]),
    Buffer.concat([encodeSongTag({ ...song, lyrics: 'x' }, FACTS, 0), bareFrames(4)]),
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
  fc.assert(property, { numRuns: 500 });
});

function attempt(bytes: Buffer): string {
  try {
    const { format, seconds } = probeAudio(bytes);
    return Number.isFinite(seconds) && seconds >= 0 ? format : `${seconds} s`;
  } catch (error) {
    return error instanceof EmulatorError ? error.code : String(error);
  }
}

it('measures the length of an MP3 file of 96 megabytes', () => {
  const bytes = Buffer.concat(Array.from({ length: 100 }, () => bareFrames(1000)));
  expect(probeAudio(bytes).seconds).toBeCloseTo((100_000 * SONG_FORMAT.frameSamples) / 48_000, 6);
});
