import { box, fullBox, MOVIE_SCALE, type Sampled, sampleBoxes, shorts, trackBox, words } from './track-box.ts';

const MOST_BYTES = 65_535;

export function noteSample(text: string): Sampled {
  const bytes = Buffer.from(text).subarray(0, MOST_BYTES);
  const sample = Buffer.concat([shorts(bytes.length), bytes]);
  return {
    sizes: [sample.length],
    write: (_index, out, at) => at + sample.copy(out, at),
    chunks: [{ first: 0, count: 1, offset: 0 }],
  };
}

export function noteTrack(track: Sampled, id: number, seconds: number): Buffer {
  return trackBox({
    id,
    isShown: false,
    volume: 0,
    width: 0,
    height: 0,
    seconds,
    skipped: 0,
    scale: MOVIE_SCALE,
    length: seconds * MOVIE_SCALE,
    handler: 'sbtl',
    header: fullBox('nmhd', 0),
    table: [
      fullBox('stsd', 0, words(1), noteEntry()),
      fullBox('stts', 0, words(1, 1, seconds * MOVIE_SCALE)),
      ...sampleBoxes(track),
    ],
  });
}

function noteEntry(): Buffer {
  const placed = Buffer.concat([words(0), Buffer.from([1, 255]), words(0), shorts(0, 0, 0, 0)]);
  const style = Buffer.concat([shorts(0, 0, 1), Buffer.from([0, 18]), words(0xffffffff)]);
  const font = Buffer.from('Serif');
  const fonts = box('ftab', shorts(1, 1), Buffer.from([font.length]), font);
  return box('tx3g', Buffer.alloc(6), shorts(1), placed, style, fonts);
}

export interface MovieNotes {
  title: string;
  comment: string;
  encoder: string;
  text: string;
}

const UTF8 = 1;

export function noteBox({ title, comment, encoder }: MovieNotes): Buffer {
  const handler = fullBox('hdlr', 0, words(0), Buffer.from('mdirappl'), words(0, 0), Buffer.from([0]));
  const items = [item('©nam', title), item('©cmt', comment), item('©too', encoder)];
  return box('udta', fullBox('meta', 0, handler, box('ilst', ...items)));
}

function item(name: string, text: string): Buffer {
  return box(name, box('data', words(UTF8, 0), Buffer.from(text)));
}
