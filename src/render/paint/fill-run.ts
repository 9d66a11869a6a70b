/** Shorter runs are written pixel by pixel, longer ones by the engine's own fill, those between four pixels at a time. */
const SHORT = 12;
const LONG = 256;

/** Writes `place` from `start` to before `end`; `words` are the same pixels, four in each. */
export function fillRun(
  pixels: Uint8Array,
  words: Int32Array,
  run: { start: number; end: number; place: number },
): void {
  const { start, end, place } = run;
  if (end - start > LONG) {
    pixels.fill(place, start, end);
    return;
  }
  let at = start;
  if (end - start > SHORT) {
    while ((at & 3) !== 0) pixels[at++] = place;
    const four = Math.imul(place, 0x01010101);
    const last = end >> 2;
    for (let word = at >> 2; word < last; word++) words[word] = four;
    at = end & ~3;
  }
  while (at < end) pixels[at++] = place;
}
