import { encodeId3Tag } from '../../../src/media/mp3/id3-tag.ts';
import { SONG_FORMAT } from '../../../src/media/mp3/stream-format.ts';

export interface WaveOptions {
  tag?: number;
  channels?: number;
  sampleRate?: number;
  bits?: number;
  blockBytes?: number;
  bytesPerSecond?: number;
}

/** A WAV file with `dataBytes` bytes of silence and this header. */
export function waveFile(dataBytes: number, options: WaveOptions = {}): Buffer {
  const { tag = 1, channels = 1, sampleRate = 16_000, bits = 16 } = options;
  const blockBytes = options.blockBytes ?? (channels * bits) / 8;
  const bytes = Buffer.alloc(44 + dataBytes);
  bytes.write('RIFF', 0);
  bytes.writeUInt32LE(36 + dataBytes, 4);
  bytes.write('WAVEfmt ', 8);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(tag, 20);
  bytes.writeUInt16LE(channels, 22);
  bytes.writeUInt32LE(sampleRate, 24);
  bytes.writeUInt32LE(options.bytesPerSecond ?? sampleRate * blockBytes, 28);
  bytes.writeUInt16LE(blockBytes, 32);
  bytes.writeUInt16LE(bits, 34);
  bytes.write('data', 36);
  bytes.writeUInt32LE(dataBytes, 40);
  return bytes;
}

/** Frames of 320 kbit/s, 48 kHz, stereo, whose bodies are empty. */
export function bareFrames(count: number): Buffer {
  const frame = Buffer.alloc(SONG_FORMAT.frameBytes);
  frame.writeUInt32BE(0xfffbe404);
  return Buffer.concat(Array.from({ length: count }, () => frame));
}

/** A tag that another program could have written. */
export function foreignTag(): Buffer {
  return encodeId3Tag([
    { frame: 'TIT2', text: 'A title' },
    { frame: 'USLT', text: 'Words of another program' },
  ]);
}
