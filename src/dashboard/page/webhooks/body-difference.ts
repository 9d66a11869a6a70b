/** How much of each is shown. */
const AROUND = 12;

/** Where two bodies differ first, in words; undefined when they are the same. */
export function bodyDifference(pasted: string, sent: string): string | undefined {
  if (pasted === sent) return undefined;
  if (pasted === '') return 'It is empty.';
  const length = Math.min(pasted.length, sent.length);
  let at = 0;
  while (at < length && pasted[at] === sent[at]) at += 1;
  if (at === pasted.length) return `It ends after ${at} of ${sent.length} characters.`;
  if (at === sent.length) return `It has ${pasted.length - at} characters too many at its end.`;
  const shown = (text: string) => JSON.stringify(text.slice(at, at + AROUND));
  return `Character ${at + 1} is the first that differs: ${shown(pasted)} where ${shown(sent)} was sent.`;
}
