/** Scripts whose letters change with those around them, and are shaped. */
export type ShapedScript = 'arabic' | 'hebrew' | 'devanagari' | 'thai';

/** A part of a line that is drawn from left to right, one behind the other; what runs to the left is already turned. */
export interface TextRun {
  text: string;
  /** undefined where each letter stands for itself. */
  script: ShapedScript | undefined;
}

interface Part extends TextRun {
  leftwards: boolean;
}

const RANGES: readonly (readonly [ShapedScript, number, number])[] = [
  ['hebrew', 0x590, 0x5ff],
  ['arabic', 0x600, 0x6ff],
  ['arabic', 0x750, 0x77f],
  ['devanagari', 0x900, 0x97f],
  ['thai', 0xe00, 0xe7f],
  ['hebrew', 0xfb1d, 0xfb4f],
  ['arabic', 0xfb50, 0xfdff],
  ['arabic', 0xfe70, 0xfefc],
];
const FIRST_SHAPED = 0x590;
/** Neither to the right nor to the left by themselves. */
const NEUTRAL = /^[\s!-/:-@[-`{-~¡-¿\u2010-\u205e]$/u;
const MIRRORED: Record<string, string> = {
  '(': ')',
  ')': '(',
  '[': ']',
  ']': '[',
  '<': '>',
  '>': '<',
  '«': '»',
  '»': '«',
};

/** The script in which a letter is shaped. */
export function shapedScript(letter: string): ShapedScript | undefined {
  const code = letter.codePointAt(0) ?? 0;
  if (code < FIRST_SHAPED) return undefined;
  return RANGES.find(([, first, last]) => code >= first && code <= last)?.[0];
}

/** Whether a text has letters that are shaped. */
export function needsShaping(text: string): boolean {
  for (const letter of text) if (shapedScript(letter)) return true;
  return false;
}

/** Whether a line begins at the right: its first letter with a direction runs to the left. */
export function runsLeftwards(line: string): boolean {
  for (const letter of line) if (!NEUTRAL.test(letter)) return isLeftwards(shapedScript(letter));
  return false;
}

/** The runs of a line in the order in which they stand from left to right: a small part of Unicode's rules, for captions. */
export function runsOf(line: string): TextRun[] {
  if (!needsShaping(line)) return [{ text: line, script: undefined }];
  const base = runsLeftwards(line);
  const groups: Part[][] = [];
  for (const part of partsOf(line, base)) {
    const group = groups.at(-1);
    if (group?.[0]?.leftwards === part.leftwards) group.push(part);
    else groups.push([part]);
  }
  const ordered = base ? groups.reverse() : groups;
  return ordered.flatMap((group) => (group[0]?.leftwards ? group.reverse().map(turned) : group));
}

/** Parts of one script and direction; marks and blanks go with what is on both sides of them, or else with the line. */
function partsOf(line: string, base: boolean): Part[] {
  const letters = [...line];
  const directions = letters.map((letter) => (NEUTRAL.test(letter) ? undefined : isLeftwards(shapedScript(letter))));
  const parts: Part[] = [];
  let before = base;
  for (const [at, letter] of letters.entries()) {
    const next = directions.slice(at).find((direction) => direction !== undefined) ?? base;
    const leftwards = directions[at] ?? (before === next ? before : base);
    before = directions[at] ?? before;
    const script = shapedScript(letter);
    const last = parts.at(-1);
    if (last?.script === script && last?.leftwards === leftwards) last.text += letter;
    else parts.push({ text: letter, script, leftwards });
  }
  return parts;
}

/** The shaper turns letters by itself; marks and blanks are turned here. */
function turned({ text, script }: Part): TextRun {
  if (script) return { text, script };
  const letters = [...text].reverse().map((letter) => MIRRORED[letter] ?? letter);
  return { text: letters.join(''), script };
}

function isLeftwards(script: ShapedScript | undefined): boolean {
  return script === 'arabic' || script === 'hebrew';
}
