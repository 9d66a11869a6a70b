import { useState } from 'react';
import { emulatorNow } from './account-and-clock.ts';
import { loadableFileUrl } from './call-api.ts';

/** A URL is replaced this many seconds before it expires. */
const MARGIN = 60;
/** How many seconds a new URL is valid. It was signed this long before it expires. */
const LIFE = 7 * 86_400;

/**
 * Each response signs its URLs again. Keeps the first URL of a file while it is valid, so that the file is loaded once
 * and continues to play.
 */
export function useFileUrl(url: string): string {
  const newest = url.startsWith('data:') ? url : loadableFileUrl(url);
  const [kept, keep] = useState(newest);
  const isSameFile = kept.split('?')[0] === newest.split('?')[0];
  if (kept === newest || (isSameFile && outlives(kept, newest))) return kept;
  keep(newest);
  return newest;
}

/**
 * True if the known URL is valid now and was valid when the new one was signed. The page may learn late that the clock
 * moved.
 */
function outlives(known: string, newest: string): boolean {
  return expiryOf(known) - MARGIN > Math.max(emulatorNow() / 1000, expiryOf(newest) - LIFE);
}

export function isUrlExpired(url: string): boolean {
  return expiryOf(url) <= emulatorNow() / 1000;
}

function expiryOf(url: string): number {
  return Number(new URLSearchParams(url.split('?')[1]).get('expires') ?? Number.POSITIVE_INFINITY);
}
