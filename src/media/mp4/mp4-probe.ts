import { invalidRequestError } from '../../base/errors.ts';

interface Box {
  type: string;
  start: number;
  end: number;
}

export function looksLikeMp4(bytes: Buffer): boolean {
  return bytes.toString('latin1', 4, 8) === 'ftyp';
}

export function probeMp4(bytes: Buffer): { seconds: number | undefined } {
  const boxes = boxesIn(bytes, 0, bytes.length);
  const moov = boxes.find(({ type }) => type === 'moov');
  if (!moov || !boxes.some(({ type }) => type === 'mdat')) throw refused('has no index or no media');
  const inside = boxesIn(bytes, moov.start, moov.end);
  const tracks = inside.filter(({ type }) => type === 'trak');
  if (!tracks.some((track) => isPicture(bytes, track))) throw refused('has no picture track');
  const header = inside.find(({ type }) => type === 'mvhd');
  return { seconds: header && secondsOf(bytes, header) };
}

function boxesIn(bytes: Buffer, from: number, to: number): Box[] {
  const boxes: Box[] = [];
  for (let at = from; at < to; ) {
    if (at + 8 > to) throw refused('ends too early');
    const type = bytes.toString('latin1', at + 4, at + 8);
    const { head, size } = extentOf(bytes, at, to);
    if (size < head || at + size > to) throw refused('ends too early');
    boxes.push({ type, start: at + head, end: at + size });
    at += size;
  }
  return boxes;
}

function extentOf(bytes: Buffer, at: number, to: number): { head: number; size: number } {
  const short = bytes.readUInt32BE(at);
  if (short === 0) return { head: 8, size: to - at };
  if (short !== 1) return { head: 8, size: short };
  if (at + 16 > to) throw refused('ends too early');
  return { head: 16, size: Number(bytes.readBigUInt64BE(at + 8)) };
}

function isPicture(bytes: Buffer, track: Box): boolean {
  const media = boxesIn(bytes, track.start, track.end).find(({ type }) => type === 'mdia');
  if (!media) return false;
  const handler = boxesIn(bytes, media.start, media.end).find(({ type }) => type === 'hdlr');
  return handler !== undefined && bytes.toString('latin1', handler.start + 8, handler.start + 12) === 'vide';
}

function secondsOf(bytes: Buffer, { start, end }: Box): number | undefined {
  const isLong = bytes[start] === 1;
  if (end - start < (isLong ? 32 : 20)) throw refused('has a header that is too short');
  const scale = bytes.readUInt32BE(start + (isLong ? 20 : 12));
  const length = isLong ? Number(bytes.readBigUInt64BE(start + 24)) : bytes.readUInt32BE(start + 16);
  return scale > 0 && length > 0 ? length / scale : undefined;
}

function refused(fault: string): Error {
  return invalidRequestError(null, `The MP4 ${fault}; give a whole file with H.264 video.`);
}
