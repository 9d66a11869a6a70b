import { type ChoiceId, EmulatorError, invalid } from '../../base/errors.ts';
import { type Song, type SongBrief, scriptedSong } from '../../media/songwriter/songwriter.ts';
import { songPriceLines } from '../catalogue/catalogue.ts';
import type { Directives } from '../faults/directives.ts';
import type { Job } from '../jobs/job-store.ts';
import type { ContentPolicy } from './content-policy.ts';
import { chargeAndRefund, derivedSeed, type Generation, orderJobs, type PaidResult } from './pipeline.ts';
import type { OrderedTake, Payer } from './place.ts';

export interface SongSettings extends Omit<SongBrief, 'seed'> {
  takes: number;
  seed?: number | undefined;
  directives: Directives;
}

export interface OrderedSong {
  song: Song;
  jobs: readonly Job[];
}

/**
 * Orders a song. Each take has its own seed, job and charge. Throws `content_blocked` before the charge; for lyrics of the
 * songwriter, after the charge and its refund.
 */
export async function orderSong(
  generation: Generation,
  model: string,
  settings: SongSettings,
  payer: Payer,
): Promise<PaidResult<OrderedSong>> {
  requireSource(settings);
  const seed = settings.seed ?? seedOf(settings);
  const written = generation.songwriter.writeSong({ ...settings, seed });
  const song = scriptedSong(written, payer.scripted?.song);
  const { directives } = settings;
  const purchase = {
    operation: 'music.generation' as const,
    model,
    lines: songPriceLines(generation.catalogue.model(model, 'music'), settings.seconds),
    directives,
    blockedBeforeCharge: blockedRequest(generation.policy, settings),
  };
  const blocked = blockedLyrics(generation.policy, song, directives);
  if (blocked) return chargeAndRefund(generation, { ...purchase, count: settings.takes }, payer, blocked);
  const takes = Array.from({ length: settings.takes }, (_, position) =>
    takeOf(model, settings, song, { take: position + 1, seed: seed + position }),
  );
  const renderPurchase = { ...purchase, medium: 'music' as const, store: false, takes };
  const { result: jobs, usage } = await orderJobs(generation, renderPurchase, payer);
  return { result: { song, jobs }, usage };
}

function takeOf(
  model: string,
  settings: SongSettings,
  song: Song,
  { take, seed }: { take: number; seed: number },
): OrderedTake {
  const { title, style, lyrics } = song;
  const { seconds, instrumental, prompt } = settings;
  return {
    parameters: { prompt, title, style, lyrics, instrumental, seconds, take, seed },
    render: { kind: 'song', model, title, style, lyrics, seconds, seed },
    take,
    seed,
  };
}

/** Throws `invalid_request` if nothing describes the song. */
export function requireSource({
  prompt,
  style,
  lyrics,
  instrumental,
}: Partial<Record<'prompt' | 'style' | 'lyrics', unknown>> & { instrumental: boolean }): void {
  if (prompt === undefined && style === undefined && lyrics === undefined) {
    throw invalid('prompt', 'A song needs at least one of prompt, style and lyrics; send one of them.', 'C124');
  }
  if (instrumental && prompt === undefined && style === undefined) {
    throw invalid(
      'prompt',
      'An instrumental ignores its lyrics, and nothing else says what to play; send prompt or style.',
      'C132',
    );
  }
}

/** The seed of the first take, which is the same for equal songs. The seed of a second take is one higher. */
function seedOf({ prompt, style, lyrics, title, seconds, instrumental }: SongSettings): number {
  return Math.min(derivedSeed(prompt, style, lyrics, title, seconds, instrumental), 4_294_967_294);
}

function blockedRequest(policy: ContentPolicy, settings: SongSettings): Error | undefined {
  const { prompt, style, lyrics, title, directives } = settings;
  if (directives.block === 'request') return blockedError('a directive asks for it');
  const given = [prompt, style, title, settings.instrumental ? undefined : lyrics];
  const found = given.map((text) => text && policy.findBlocked(text)).find(Boolean);
  return found ? blockedError(`it names "${found.word}": ${found.reason}`) : undefined;
}

function blockedLyrics(policy: ContentPolicy, song: Song, directives: Directives): Error | undefined {
  if (!song.written.lyrics || !song.lyrics) return undefined;
  if (directives.block === 'lyrics')
    return blockedError('the written lyrics are refused, as a directive asks; the charge was refunded', 'C134');
  const found = policy.findBlocked(song.lyrics);
  return (
    found &&
    blockedError(`the written lyrics contain "${found.word}": ${found.reason}; the charge was refunded`, 'C134')
  );
}

function blockedError(reason: string, choice?: ChoiceId): EmulatorError {
  return new EmulatorError(
    'content_blocked',
    `The content policy refuses this song: ${reason}. Nothing is billed; change the words and send it again.`,
    { choice },
  );
}
