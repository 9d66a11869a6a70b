interface Inflection {
  /** Endings, the longest that fits is cut off. */
  endings: RegExp;
  /** Letters that change when a word is inflected, and what they count as. */
  alike?: readonly (readonly [RegExp, string])[];
  /** What may stand before a word without a blank. */
  prefixes?: RegExp;
  /** Letters that remain at least. */
  least: number;
}

const ACCENTS = [
  [/[áàâ]/g, 'a'],
  [/[éèê]/g, 'e'],
  [/[íî]/g, 'i'],
  [/[óôõ]/g, 'o'],
  [/[úû]/g, 'u'],
] as const;
const SLAVIC =
  /(?:иями|ями|ами|ого|его|ому|ему|ыми|ими|іми|иях|ях|ах|ов|ев|ів|ей|ой|ий|ый|ая|яя|ое|ее|ые|ие|ую|юю|ом|ем|ам|ям|ою|ею|ым|им|их|ых|ий|а|я|о|е|ы|и|у|ю|ь|й|і|ї|є)$/u;

/** How words change in each language: roughly, and alike for what is looked up and what it is looked up among. */
const INFLECTIONS: Record<string, Inflection> = {
  en: { endings: /(?:'s|(?<=x|ch|sh|s|z|o)es|s)$/u, alike: [[/ies$/, 'ys']], least: 3 },
  de: {
    endings: /(?:innen|ern|en|er|es|em|in|e|n|s)$/u,
    alike: [
      [/ä/g, 'a'],
      [/ö/g, 'o'],
      [/ü/g, 'u'],
    ],
    least: 3,
  },
  fr: { endings: /(?:nes|ne|es|e|s|x)$/u, alike: [[/aux$/, 'al']], prefixes: /^(?:l|d|qu|j|n)['’]/u, least: 3 },
  es: { endings: /(?:es|as|os|s|a|o|e)$/u, alike: [...ACCENTS, [/ces$/, 'zes']], least: 3 },
  pt: {
    endings: /(?:es|as|os|s|a|o|e)$/u,
    alike: [[/(?:ões|ães|ãos)$/, 'ão'], [/(?<=[aeou])is$/, 'l'], ...ACCENTS],
    least: 2,
  },
  it: {
    endings: /(?:[aeiou]{1,2})$/u,
    alike: [[/h(?=[ie]$)/, '']],
    prefixes: /^(?:l|un|dell|nell|sull|all|d)['’]/u,
    least: 3,
  },
  nl: {
    endings: /(?:jes|je|'s|en|s|e)$/u,
    alike: [
      [/(.)\1/g, '$1'],
      [/v(?=en$|e$)/, 'f'],
      [/z(?=en$|e$)/, 's'],
    ],
    least: 2,
  },
  sv: { endings: /(?:arna|erna|orna|ar|er|or|en|et|na|n|a|e|t|s)$/u, least: 3 },
  pl: { endings: /(?:ami|ach|ego|emu|owi|ych|ymi|iem|om|ów|em|ie|ej|ym|y|i|a|ą|ę|e|o|u)$/u, least: 3 },
  cs: { endings: /(?:ami|ách|ého|ému|ovi|ých|ými|ích|em|ům|ou|ám|ej|ým|y|i|a|á|é|í|ý|e|ě|o|u|ů)$/u, least: 3 },
  ru: { endings: SLAVIC, alike: [[/ё/g, 'е']], least: 3 },
  uk: { endings: SLAVIC, alike: [[/[’']/g, '']], least: 3 },
  tr: {
    endings:
      /(?:(?:lar|ler)(?:ı|i)?(?:n|nın|nin|nda|nde|ndan|nden)?|[dt][ae]n?|n?[ıiuü]n|[ys]?[ıiuü]|y?[ae]|l[ıiuü]|s[ıiuü]z)$/u,
    alike: [
      [/ğ(?=.?$)/, 'k'],
      [/b(?=[ıiuü]?$)/, 'p'],
      [/d(?=[ıiuü]?$)/, 't'],
      [/c(?=[ıiuü]?$)/, 'ç'],
    ],
    least: 2,
  },
  el: {
    endings: /(?:ους|ιου|ια|ιά|ων|εσ|οσ|ησ|ασ|ου|οι|α|η|ο|ι|υ|ε)$/u,
    alike: [
      [/ά/g, 'α'],
      [/έ/g, 'ε'],
      [/ή/g, 'η'],
      [/[ίϊΐ]/g, 'ι'],
      [/ό/g, 'ο'],
      [/[ύϋΰ]/g, 'υ'],
      [/ώ/g, 'ω'],
      [/ς/g, 'σ'],
    ],
    least: 3,
  },
  id: { endings: /nya$/u, alike: [[/^([a-z]+)-[a-z]+$/, '$1']], least: 3 },
  ar: {
    endings: /(?:ات|ون|ين|ان|تين|ة|ه|ها)$/u,
    alike: [
      [/[أإآ]/g, 'ا'],
      [/ى/g, 'ي'],
    ],
    prefixes: /^(?:وال|بال|كال|فال|لل|ال|و|ب|ل|ك)(?=..)/u,
    least: 2,
  },
  he: { endings: /(?:ים|ות|יים|ה|ת)$/u, prefixes: /^(?:וה|שה|מה|ה|ו|ב|ל|מ|כ|ש)(?=..)/u, least: 2 },
  hi: {
    endings: /(?:ियों|ियां|ाओं|ों|ें|ां|ीं|ी|ा|े|ो)$/u,
    alike: [
      [/\u093c/g, ''],
      [/ँ/g, 'ं'],
    ],
    least: 2,
  },
  ko: {
    endings: /(?:에서는|에서|에게|으로|이랑|하고|들이|들을|들과|들의|들은|들|은|는|이|가|을|를|의|에|와|과|도|로|만)$/u,
    least: 1,
  },
};

/** Endings that say that something is missing: `treeless`. */
const WITHOUT: Record<string, RegExp> = { en: /less$/u, tr: /s[ıiuü]z$/u, de: /los$/u, ko: /(?:없는|없이)$/u };

/** Endings that say that there are several, where the language says so by one. */
const SEVERAL: Record<string, RegExp> = {
  ...{ en: /s$/u, fr: /[sx]$/u, es: /s$/u, pt: /s$/u, nl: /(?:en|s)$/u, sv: /(?:ar|or|er|arna|orna|erna)$/u },
  ...{ tr: /l[ae]r/u, id: /^(.+)-\1$/u, ar: /(?:ات|ون|ين)$/u, he: /(?:ים|ות)$/u, hi: /(?:ों|ें|ियां|ियाँ)$/u },
};

/** English words that tell of several without an ending. */
const IRREGULAR = /(?:ves|mice|children|men|women|geese|people|ies)$/u;

/** The part of a word that stays when it is inflected; undefined where words are not. */
export function stemOf(word: string, language: string): string | undefined {
  const inflection = INFLECTIONS[language];
  if (!inflection) return undefined;
  const { endings, alike = [], least } = inflection;
  let stem = word;
  for (const [sign, letter] of alike) stem = stem.replace(sign, letter);
  const cut = stem.replace(endings, '');
  return cut.length >= least ? cut : stem;
}

/** A word without what is written before it as one word, such as an article; undefined when there is nothing. */
export function withoutPrefix(word: string, language: string): string | undefined {
  const { prefixes } = INFLECTIONS[language] ?? {};
  return prefixes?.test(word) ? word.replace(prefixes, '') : undefined;
}

/** What is missing, of a word that says so by its ending. */
export function missing(word: string, language: string): string | undefined {
  const ending = WITHOUT[language];
  return ending?.test(word) ? word.replace(ending, '') : undefined;
}

/** Whether a word that is no concept's own name tells of several, though it stands in the book as it is. */
export function isIrregularPlural(word: string, language: string): boolean {
  return language === 'en' && IRREGULAR.test(word);
}

/** Whether an inflected word tells of two: Arabic has an ending for them. */
export function tellsOfTwo(word: string, language: string): boolean {
  return language === 'ar' && word.endsWith('ان');
}

/** Whether an inflected word tells of several. */
export function tellsOfSeveral(word: string, language: string): boolean {
  return SEVERAL[language]?.test(word) ?? false;
}
