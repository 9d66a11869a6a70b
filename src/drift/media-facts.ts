import { probeAudio } from '../render/audio-probe.ts';
import { parseFrameHeader } from '../render/mp3/frame-header.ts';
import { tagLength } from '../render/mp3/id3-tag.ts';
import { looksLikeMp4, probeMp4 } from '../render/mp4/mp4-probe.ts';
import { probePicture } from '../render/picture-probe.ts';
import type { Fact } from './shapes.ts';

/** What is known of a file's length from elsewhere, in seconds. */
interface Expected {
  /** What the record of its job says. */
  duration?: number | undefined;
}

/** Container, rate and length of a file, by the bytes alone; `path` says where it was. */
export function mediaFacts(path: string, bytes: Buffer, expected: Expected = {}): Fact[] {
  return describe(bytes, expected).map((is) => ({ what: 'media', path, is }));
}

/** The first word is what of the file it is about. */
function describe(bytes: Buffer, { duration }: Expected): string[] {
  try {
    if (looksLikeMp4(bytes)) return ['container mp4', `length ${Math.round(probeMp4(bytes).seconds ?? 0)} s`];
    if (looksLikePicture(bytes)) {
      const { format, width, height } = probePicture(bytes);
      return [`container ${format}`, `size ${width} × ${height}`];
    }
    const { format, seconds } = probeAudio(bytes);
    const length = duration === undefined ? [] : [lengthOf(seconds, duration)];
    return [`container ${format}`, ...(format === 'mp3' ? rateOf(bytes) : []), ...length];
  } catch {
    return ['container that is damaged or unknown'];
  }
}

function looksLikePicture(bytes: Buffer): boolean {
  return bytes[0] === 0x89 || (bytes[0] === 0xff && bytes[1] === 0xd8) || bytes.toString('latin1', 8, 12) === 'WEBP';
}

function rateOf(bytes: Buffer): string[] {
  const frame = parseFrameHeader(bytes, tagLength(bytes, 0) ?? 0);
  return frame ? [`rate ${frame.bitrate / 1000} kbps, ${frame.sampleRate} Hz, ${frame.channels} channels`] : [];
}

/** A record may round. */
function lengthOf(seconds: number, duration: number): string {
  return Math.abs(seconds - duration) <= 1 ? 'length as its record says' : 'length other than its record says';
}
