/** `fixtures/chat/lexicon.json`: words by what they say about a turn, each list a string of words. */
export interface LexiconFile {
  stop: string;
  determiners: Record<string, string>;
  adjectives: string;
  questions: string;
  auxiliaries: string;
  cues: Record<string, string>;
  verbs: string;
  irregular: string;
  moods: Record<string, string>;
  hostile: string;
  intents: Record<string, string>;
  requests: string;
  invites: string;
  opinions: string;
  actions: Record<string, string>;
  domains: Record<string, string>;
  places: Record<string, string>;
  times: Record<string, string>;
  weather: Record<string, string>;
  tones: Record<string, string>;
  bodiless: string;
  feminine: string;
  masculine: string;
  foreign: Record<string, string>;
}

/** What a known word says. One shape for all words keeps look-ups fast. */
export class WordEntry {
  stop = false;
  verb = false;
  adjective = false;
  question = false;
  auxiliary = false;
  hostile = false;
  request = false;
  invite = false;
  opinion = false;
  bodiless = false;
  feminine = false;
  masculine = false;
  /** The determiner seen from the other side: `my` is `your`. */
  determiner: string | undefined = undefined;
  mood: string | undefined = undefined;
  intent: string | undefined = undefined;
  action: string | undefined = undefined;
  domain: string | undefined = undefined;
  place: string | undefined = undefined;
  time: string | undefined = undefined;
  weather: string | undefined = undefined;
  tone: string | undefined = undefined;
  /** What it tells about the sentence it stands in: whether it speaks of `self`, asks a `price`. */
  cue: string | undefined = undefined;
  /** The language whose everyday word it is, where it is not English. */
  foreign: string | undefined = undefined;
}

type Flag = { [K in keyof WordEntry]: WordEntry[K] extends boolean ? K : never }[keyof WordEntry];
type Group = Exclude<keyof WordEntry, Flag>;

/** Known words by their lower-case form. */
export class Lexicon {
  readonly #entries = new Map<string, WordEntry>();

  constructor(file: LexiconFile) {
    for (const [word, turned] of Object.entries(file.determiners)) {
      this.#entry(word).determiner = turned;
    }
    for (const [flag, words] of flagLists(file)) {
      for (const word of words.split(' ')) this.#entry(word)[flag] = true;
    }
    for (const verb of file.verbs.split(' ')) {
      for (const form of verbForms(verb)) this.#entry(form).verb = true;
    }
    for (const [group, lists] of groupLists(file)) this.#addGroup(group, lists);
  }

  /** What is known of the word, given in lower case. */
  get(word: string): WordEntry | undefined {
    return this.#entries.get(word);
  }

  /** A word in two lists of one group counts for the first. */
  #addGroup(group: Group, lists: Record<string, string>): void {
    for (const [name, words] of Object.entries(lists)) {
      for (const word of words.split(' ')) this.#entry(word)[group] ??= name;
    }
  }

  #entry(word: string): WordEntry {
    const known = this.#entries.get(word);
    if (known) return known;
    const entry = new WordEntry();
    this.#entries.set(word, entry);
    return entry;
  }
}

function flagLists(file: LexiconFile): [Flag, string][] {
  return [
    ['stop', file.stop],
    ['verb', file.irregular],
    ['adjective', file.adjectives],
    ['question', file.questions],
    ['auxiliary', file.auxiliaries],
    ['hostile', file.hostile],
    ['request', file.requests],
    ['invite', file.invites],
    ['opinion', file.opinions],
    ['bodiless', file.bodiless],
    ['feminine', file.feminine],
    ['masculine', file.masculine],
  ];
}

function groupLists(file: LexiconFile): [Group, Record<string, string>][] {
  return [
    ['mood', file.moods],
    ['intent', file.intents],
    ['action', file.actions],
    ['domain', file.domains],
    ['place', file.places],
    ['time', file.times],
    ['weather', file.weather],
    ['tone', file.tones],
    ['cue', file.cues],
    ['foreign', file.foreign],
  ];
}

function verbForms(verb: string): string[] {
  const stem = verb.endsWith('e') ? verb.slice(0, -1) : verb;
  const doubled = /[^aeiou][aeiou][bdgmnpt]$/.test(verb) ? stem + stem.slice(-1) : stem;
  const past = /[^aeiou]y$/.test(verb) ? `${verb.slice(0, -1)}ied` : `${doubled}ed`;
  const third = /[^aeiou]y$/.test(verb) ? `${verb.slice(0, -1)}ies` : `${verb}s`;
  return [verb, third, /(?:s|sh|ch|x)$/.test(verb) ? `${verb}es` : third, past, `${doubled}ing`];
}
