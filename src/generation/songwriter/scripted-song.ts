import type { ScriptedAnswer } from '../order.ts';
import { withTags } from './song-form.ts';
import type { Song } from './songwriter.ts';

/** A song with scripted parts in place of what the songwriter wrote; the caller's own words and an instrumental's silence stay. */
export function scriptedSong(song: Song, script: ScriptedAnswer['song']): Song {
  if (!script) return song;
  const { written } = song;
  return {
    ...song,
    title: (written.title && script.title) || song.title,
    style: (written.style && script.style) || song.style,
    isFallback: song.isFallback && !script.lyrics,
    lyrics: written.lyrics && script.lyrics ? withTags(script.lyrics) : song.lyrics,
  };
}
