/** A section of a song by the tag it stands under. */
export type SectionTag = 'Intro' | 'Verse' | 'Pre-Chorus' | 'Chorus' | 'Bridge' | 'Outro';

/** A section and how many lines it has; an even number, for lines rhyme in pairs. */
export type FormStep = readonly [SectionTag, number];

/** Forms by their length in seconds: about one line to three or four seconds. */
const FORMS: readonly (readonly [number, string])[] = [
  [30, 'Verse 4, Chorus 4'],
  [60, 'Verse 4, Pre-Chorus 2, Chorus 4, Verse 4, Chorus 4'],
  [90, 'Intro 2, Verse 4, Pre-Chorus 2, Chorus 4, Verse 4, Pre-Chorus 2, Chorus 4, Outro 2'],
  [120, 'Intro 2, Verse 6, Pre-Chorus 2, Chorus 4, Verse 4, Pre-Chorus 2, Chorus 4, Bridge 4, Chorus 4, Outro 2'],
  [150, 'Intro 2, Verse 8, Pre-Chorus 2, Chorus 4, Verse 8, Pre-Chorus 2, Chorus 4, Bridge 4, Chorus 4, Outro 4'],
  [180, 'Intro 2, Verse 8, Pre-Chorus 4, Chorus 6, Verse 8, Pre-Chorus 4, Chorus 6, Bridge 4, Chorus 6, Outro 4'],
  [
    210,
    'Intro 2, Verse 8, Pre-Chorus 4, Chorus 6, Verse 8, Pre-Chorus 4, Chorus 6, Bridge 6, Verse 6, Chorus 6, Outro 4',
  ],
  [
    240,
    'Intro 2, Verse 8, Pre-Chorus 4, Chorus 6, Verse 8, Pre-Chorus 4, Chorus 6, Bridge 6, Verse 8, Chorus 6, Chorus 6, Outro 4',
  ],
];

/** The form of a song of so many seconds; below 30 and above 240 the shortest and the longest. */
export function formOf(seconds: number): FormStep[] {
  const [, form = ''] = FORMS.findLast(([length]) => length <= seconds) ?? FORMS[0] ?? [];
  return form.split(', ').map((step) => {
    const [tag, lines] = step.split(' ');
    return [tag as SectionTag, Number(lines)];
  });
}

const TAGS = new Set(['[intro]', '[verse]', '[pre-chorus]', '[chorus]', '[bridge]', '[outro]']);

/** Lyrics without any section tag are one verse [R187 I180]; tagged ones stay as they are. */
export function withTags(lyrics: string): string {
  const tagged = lyrics.split('\n').some((line) => TAGS.has(line.trim().toLowerCase()));
  return tagged ? lyrics : `[Verse]\n${lyrics}`;
}
