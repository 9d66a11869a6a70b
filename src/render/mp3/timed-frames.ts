import { type TagData, writeFrames } from './id3-tag.ts';

/** A text and when it begins, in milliseconds. */
interface Moment {
  at: number;
  text: string;
}

const TABLE = 'toc';
const TOP_LEVEL_AND_ORDERED = 3;
/** Where a chapter lies is told by its times, not by bytes. */
const NO_OFFSET = 0xffffffff;
const [UTF8, MILLISECONDS, LYRICS] = [3, 2, 1];

/** A table of contents and its chapters, each to the beginning of the next one, the last to `length`. */
export function chapterFrames(chapters: readonly Moment[], length: number): TagData[] {
  if (chapters.length === 0) return [];
  const nameOf = (index: number) => `chp${index}\0`;
  const names = chapters.map((_, index) => nameOf(index)).join('');
  const head = Buffer.concat([Buffer.from(`${TABLE}\0`), Buffer.from([TOP_LEVEL_AND_ORDERED, chapters.length])]);
  const table = { frame: 'CTOC', body: Buffer.concat([head, Buffer.from(names)]) };
  const bodies = chapters.map(({ at, text }, index) => {
    const times = [at, chapters[index + 1]?.at ?? length, NO_OFFSET, NO_OFFSET];
    return Buffer.concat([Buffer.from(nameOf(index)), ...times.map(word), writeFrames([{ frame: 'TIT2', text }])]);
  });
  return [table, ...bodies.map((body) => ({ frame: 'CHAP', body }))];
}

/** Lyrics that a player can follow; none where nothing is sung. */
export function timedLyricsFrames(lines: readonly Moment[]): TagData[] {
  if (lines.length === 0) return [];
  const head = Buffer.concat([
    Buffer.from([UTF8]),
    Buffer.from('XXX', 'latin1'),
    Buffer.from([MILLISECONDS, LYRICS, 0]),
  ]);
  const sung = lines.map(({ at, text }) => Buffer.concat([Buffer.from(`${text}\0`), word(at)]));
  return [{ frame: 'SYLT', body: Buffer.concat([head, ...sung]) }];
}

function word(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
