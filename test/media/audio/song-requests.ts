import type { SongRequest } from '../../../src/media/render-request.ts';
import { renderSong } from '../../../src/media/song/render-song.ts';
import { type Rendered, rendered } from './audio-tools.ts';

export const LYRICS = `[Intro]
[Verse]
Walking down the empty street tonight
All the windows hold a yellow light
I can hear the river calling me
Underneath the old magnolia tree
[Pre-Chorus]
And I know, and I know
[Chorus]
Stay with me until the morning comes
Stay with me and beat the silver drums
We will never have to say goodbye
Underneath the wide and open sky
[Verse]
Every letter that I never sent
Every dollar that I never spent
[Chorus]
Stay with me until the morning comes
[Bridge]
Oh, the night is long
[Chorus]
Stay with me until the morning comes
[Outro]
Stay with me`;

/** A sung pop song of half a minute with these changes. */
export function songRequest(changes: Partial<SongRequest> = {}): SongRequest {
  return {
    kind: 'song',
    model: 'svc-music-one',
    title: 'River Street',
    style: 'indie pop, female vocals, upbeat, piano',
    lyrics: LYRICS,
    seconds: 30,
    seed: 7,
    ...changes,
  };
}

const made = new Map<string, Promise<Rendered>>();

/** Such a song, rendered once for all tests that only read it. */
export function madeSong(changes: Partial<SongRequest> = {}): Promise<Rendered> {
  const name = JSON.stringify(songRequest(changes));
  const known = made.get(name) ?? rendered((target, tools) => renderSong(songRequest(changes), target, tools));
  made.set(name, known);
  return known;
}
