import type { SongRequest, SpeechRequest } from '../render-request.ts';
import { type TagText, writeTag } from './id3-tag.ts';

/** The TXXX frame by which a file of ours is known; its text is the kind of render. */
const MARK = 'svc-emulator';

/** The tag of spoken words: the whole text, and the voice. */
export function speechTag(request: SpeechRequest): Buffer {
  return writeTag([
    { frame: 'TIT2', text: `Speech by ${request.voice}` },
    { frame: 'USLT', text: request.text },
    { frame: 'TXXX', name: 'voice', text: request.voice },
    { frame: 'TXXX', name: 'model', text: request.model },
    { frame: 'TXXX', name: MARK, text: 'speech' },
  ]);
}

/** The tag of a song: title, style, seed and, where it is sung, its lyrics. */
export function songTag(request: SongRequest): Buffer {
  const lyrics: TagText[] = request.lyrics === null ? [] : [{ frame: 'USLT', text: request.lyrics }];
  return writeTag([
    { frame: 'TIT2', text: request.title },
    { frame: 'TCON', text: request.style },
    ...lyrics,
    { frame: 'TXXX', name: 'style', text: request.style },
    { frame: 'TXXX', name: 'seed', text: `${request.seed}` },
    { frame: 'TXXX', name: 'model', text: request.model },
    { frame: 'TXXX', name: MARK, text: 'song' },
  ]);
}

/** The words that a file of ours carries: undefined for another's file, empty for an instrumental. */
export function carriedText(texts: TagText[]): string | undefined {
  if (!texts.some(({ frame, name }) => frame === 'TXXX' && name === MARK)) return undefined;
  return texts.find(({ frame }) => frame === 'USLT')?.text ?? '';
}
