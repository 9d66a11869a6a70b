/** Words that are found in most sentences of a language and in few of English, and those of English. */
const EVERYDAY = {
  english: 'the and of to is are you it that with for this was have not be on at my your we they he she i what',
  others:
    'der die das und ist nicht ich ein eine mit wie auf zu den le la les des et est une dans pour vous je que pas sur el los las es un una con por para como muy il di che non sono per gli nel o os um uma não do da em het een niet van ik jij voor och att det som är inte',
};
const [ENGLISH, OTHERS] = [EVERYDAY.english, EVERYDAY.others].map((words) => new Set(words.split(' ')));
/** So many words tell a language. */
const MOST_WORDS = 400;

/** Whether a text in Latin letters is to be read as English: unless the everyday words of other languages are more in it. */
export function isEnglish(text: string): boolean {
  const words = text.toLowerCase().match(/\p{Script=Latin}+/gu) ?? [];
  const read = words.slice(0, MOST_WORDS);
  const count = (known: Set<string> | undefined) => read.filter((word) => known?.has(word)).length;
  const strange = read.filter((word) => /[^a-z]/.test(word)).length;
  return count(ENGLISH) * 2 >= count(OTHERS) + strange;
}

/** Small words that nobody stresses. */
const UNSTRESSED = new Set(
  'a an the and or but of to for from in on at by with as is are was were be been am has have had do does did will would can could should shall may might must that than if it its he she we you they them him her his our your their my me us i not so'.split(
    ' ',
  ),
);

export function isUnstressed(word: string): boolean {
  return UNSTRESSED.has(word);
}
