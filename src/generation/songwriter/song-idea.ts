import type { Picker } from '../../render/text/text-picker.ts';
import { findTopic } from '../../render/text/topic.ts';
import { scanWords, type Word } from '../../render/text/word-scan.ts';
import type { SongBanks, SongMood, Tongue } from './song-banks.ts';

/** What a song is to be, as far as the order says or the seed decides. */
export interface SongIdea {
  mood: SongMood;
  /** What it sings of, as it stands inside a line: `the old lighthouse`. */
  subject: string;
  /** The words of the whole order. */
  words: readonly Word[];
}

/** Words about the order itself or the music, which nobody sings about. */
const NOT_SUNG = new Set(
  'song songs lied chanson canción cancion ballad tune track anthem lullaby hymn jingle piece lyrics chorus verse beat bpm tempo melody style genre vocal vocals voice singer band guitar guitars piano synth synths drums drum bass strings violin fiddle saxophone trumpet organ minute minutes second seconds pop rock folk jazz blues soul funk disco metal punk electronic ambient country reggae techno house rap hip-hop indie acoustic cinematic orchestral upbeat slow fast mid-tempo female male'.split(
    ' ',
  ),
);
/** In UTF-16 units; a longer text in a foreign script is no name. */
const LONGEST_NAME = 24;

/** Reads mood and subject out of the order's texts; the seed decides what they leave open. Lyrics in `tongue` sing of words in it. */
export function findIdea(
  texts: { prompt: string; style: string; lyrics: string; tongue: Tongue | undefined },
  banks: SongBanks,
  picker: Picker,
): SongIdea {
  const prompt = scanWords(texts.prompt, banks.lexicon);
  const style = scanWords(texts.style, banks.lexicon);
  const lyrics = scanWords(texts.lyrics, banks.lexicon);
  const words = [...prompt.words, ...style.words, ...lyrics.words];
  const mood = moodOf(words, banks) ?? picker.one(Object.keys(banks.styles.moods) as SongMood[]);
  const { tongue } = texts;
  const named = nameInForeignScript(texts.prompt, prompt.foreignLetters);
  const subject = tongue
    ? (named ?? topicIn(tongue, texts.prompt))
    : (named ?? foreignNoun(prompt.words) ?? findTopic(prompt.words, NOT_SUNG)?.said);
  const { fallbackSubjects } = tongue?.lyrics ?? banks.lyrics;
  return { mood, words, subject: subject ?? picker.one(fallbackSubjects[mood]) };
}

/** Of a prompt in that language its longest word that is not an everyday one; a prompt in another one says nothing here. */
function topicIn({ words: everyday }: Tongue, prompt: string): string | undefined {
  const written = /[\p{Script=Han}\p{Script=Katakana}\u30fc]{1,24}/gu;
  const isKana = /[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(prompt);
  const words = isKana ? (prompt.match(written) ?? []) : prompt.split(/[^\p{L}\p{M}'-]+/u);
  const known = words.filter((word) => everyday.has(word.toLowerCase())).length;
  if (!isKana && (known === 0 || known * 4 < words.length)) return undefined;
  const nouns = words.filter(
    (word) => word.length <= LONGEST_NAME && !everyday.has(word.toLowerCase()) && !NOT_SUNG.has(word.toLowerCase()),
  );
  return nouns.sort((a, b) => b.length - a.length)[0] || undefined;
}

function moodOf(words: readonly Word[], banks: SongBanks): SongMood | undefined {
  let best: SongMood | undefined;
  let most = 0;
  for (const [mood, list] of Object.entries(banks.styles.moods) as [SongMood, string][]) {
    const known = new Set(list.split(' '));
    const times = words.filter((word) => known.has(word.lower)).length;
    if (times <= most) continue;
    best = mood;
    most = times;
  }
  return best;
}

function nameInForeignScript(prompt: string, foreignLetters: number): string | undefined {
  const name = prompt.trim();
  if (foreignLetters < 2 || name.length > LONGEST_NAME || name.includes('\n')) return undefined;
  return /[\u6b4c\u66f2]/u.test(name) ? undefined : name;
}

/** Of a prompt in another Latin language, its longest word that is not an everyday one. */
function foreignNoun(words: readonly Word[]): string | undefined {
  const everyday = words.filter(({ entry }) => entry?.foreign && !entry.stop).length;
  if (everyday * 3 < words.length || everyday === 0) return undefined;
  const nouns = words.filter(({ lower, entry }) => !entry && lower.length <= LONGEST_NAME && !NOT_SUNG.has(lower));
  return nouns.sort((a, b) => b.raw.length - a.raw.length)[0]?.raw;
}
