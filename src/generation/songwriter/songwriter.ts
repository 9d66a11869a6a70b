import { hashText, Picker } from '../../render/text/text-picker.ts';
import type { ScriptedAnswer } from '../order.ts';
import { loadSongBanks, type SongBanks, withTags } from './song-banks.ts';
import { askedLanguage, languageOfLyrics } from './song-language.ts';
import { titleFromIdea, titleFromLyrics, writeLyrics } from './song-lyrics.ts';
import { findIdea, writeStyle } from './song-style.ts';

/** A song as it was ordered; blank texts count as absent. */
export interface SongOrder {
  prompt?: string;
  style?: string;
  lyrics?: string;
  title?: string;
  /** 30 to 240 in steps of 30. */
  seconds: number;
  instrumental: boolean;
  /** 0 to 4294967295. */
  seed: number;
}

/** What the song renders from [R184 R185 I180]. */
export interface Song {
  title: string;
  style: string;
  /** Sections under their tags; null for an instrumental [I065]. */
  lyrics: string | null;
  /** Which of them the songwriter wrote. */
  written: { title: boolean; style: boolean; lyrics: boolean };
  /** Whether lyrics were asked for in a language that there are none in, and are English instead. */
  isFallback: boolean;
}

/** Writes songs with one set of banks, which it reads at its first; the same order with the same seed makes the same song. */
export class Songwriter {
  #loaded: SongBanks | undefined;

  writeSong(order: SongOrder): Song {
    this.#loaded ??= loadSongBanks();
    const banks = this.#loaded;
    const given = givenTexts(order);
    const picker = new Picker(seedOf(order, given));
    const writesLyrics = !order.instrumental && given.lyrics === '';
    const asked = askedLanguage(given, banks);
    const sung = writesLyrics ? asked.language : undefined;
    const lines = sung?.lyrics ?? banks.lyrics;
    const idea = findIdea({ ...given, language: sung }, banks, picker);
    const chorus = picker.one(lines.choruses[idea.mood]);
    const language = (sung ?? languageOfLyrics(given.lyrics, banks))?.name ?? 'English';
    const needs = { instrumental: order.instrumental, language };
    const style = given.style || writeStyle(idea, needs, banks, picker);
    const lyrics = writesLyrics
      ? writeLyrics({ ...idea, chorus, seconds: order.seconds }, lines, picker)
      : withTags(given.lyrics);
    const titles = { lyrics: lines, isEnglish: sung === undefined };
    const title = given.title || titleFromLyrics(given.lyrics) || titleFromIdea(idea.subject, chorus, titles, picker);
    return {
      title,
      style,
      lyrics: order.instrumental ? null : lyrics,
      written: { title: given.title === '', style: given.style === '', lyrics: writesLyrics },
      isFallback: writesLyrics && asked.isFallback,
    };
  }
}

type GivenTexts = Record<'prompt' | 'style' | 'lyrics' | 'title', string>;

function givenTexts(order: SongOrder): GivenTexts {
  return {
    prompt: presentOr(order.prompt),
    style: presentOr(order.style),
    lyrics: order.instrumental ? '' : presentOr(order.lyrics),
    title: presentOr(order.title),
  };
}

function presentOr(text = ''): string {
  return text.trim() === '' ? '' : text;
}

function seedOf({ seed, seconds }: SongOrder, { prompt, style, lyrics }: GivenTexts): number {
  return hashText(lyrics, hashText(style, hashText(prompt, seed ^ seconds)));
}

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
