import { box, fullBox, words } from './mp4-box.ts';

/** What a file tells of itself. */
export interface MovieNotes {
  title: string;
  comment: string;
  encoder: string;
  /** Beside sound and picture, as a track of text. */
  text: string;
}

const UTF8 = 1;

/** The notes as every player looks for them. */
export function noteBox({ title, comment, encoder }: MovieNotes): Buffer {
  const handler = fullBox('hdlr', 0, words(0), Buffer.from('mdirappl'), words(0, 0), Buffer.from([0]));
  const items = [item('©nam', title), item('©cmt', comment), item('©too', encoder)];
  return box('udta', fullBox('meta', 0, handler, box('ilst', ...items)));
}

function item(name: string, text: string): Buffer {
  return box(name, box('data', words(UTF8, 0), Buffer.from(text)));
}
