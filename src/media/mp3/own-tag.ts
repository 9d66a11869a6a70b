import type { SongRequest, SpeechRequest } from '../render-request.ts';
import type { SongDescription } from '../song/song-identity.ts';
import { type TagText, writeTag } from './id3-tag.ts';

const MARK = 'svc-emulator';
const INSTRUMENTAL = 'instrumental';
const COPIED_LYRICS = /^lyrics(?:-|$)/i;
const ENCODER: TagText = { frame: 'TSSE', text: 'svc-emulator (placeholder sound)' };

function paddedTag(frames: readonly TagText[], { bytes = 0 }: { bytes?: number }, soundBytes: number): Buffer {
  const tag = writeTag(frames);
  const missing = bytes - soundBytes - tag.length;
  return missing > 0 ? writeTag(frames, missing) : tag;
}

export function speechTag(request: SpeechRequest, soundBytes: number): Buffer {
  const frames = [
    { frame: 'TIT2', text: `Speech by ${request.voice}` },
    ENCODER,
    { frame: 'USLT', text: request.text },
    { frame: 'TXXX', name: 'voice', text: request.voice },
    { frame: 'TXXX', name: 'model', text: request.model },
    { frame: 'TXXX', name: MARK, text: 'speech' },
  ];
  return paddedTag(frames, request, soundBytes);
}

export function songTag(request: SongRequest, description: SongDescription, soundBytes: number): Buffer {
  const { title, style, lyrics, seed, model } = request;
  const sung: TagText[] = lyrics === null ? [] : [{ frame: 'USLT', text: lyrics }];
  const frames = [
    { frame: 'TIT2', text: title },
    { frame: 'TCON', text: description.genre },
    { frame: 'TBPM', text: `${description.tempo}` },
    { frame: 'TKEY', text: description.key },
    { frame: 'TLEN', text: `${description.length}` },
    ENCODER,
    ...sung,
    { frame: 'TXXX', name: 'style', text: style },
    { frame: 'TXXX', name: 'seed', text: `${seed}` },
    { frame: 'TXXX', name: 'model', text: model },
    { frame: 'TXXX', name: MARK, text: lyrics === null ? INSTRUMENTAL : 'song' },
  ];
  return paddedTag(frames, request, soundBytes);
}

export function carriedText(texts: TagText[]): string | undefined {
  const mark = texts.find(({ frame, name }) => frame === 'TXXX' && name === MARK);
  if (!mark) return undefined;
  if (plain(mark) === INSTRUMENTAL) return '';
  const isLyrics = ({ frame, name = '' }: TagText) =>
    frame === 'USLT' || (frame === 'TXXX' && COPIED_LYRICS.test(name));
  const lyrics = texts.find(isLyrics);
  return lyrics && plain(lyrics);
}

function plain({ text }: TagText): string {
  return text.endsWith('\0') ? text.slice(0, -1) : text;
}
