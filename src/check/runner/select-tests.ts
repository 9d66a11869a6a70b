import { existsSync, readFileSync } from 'node:fs';
import { tryParseJson } from '../../base/text.ts';
import type { TestRow } from './run-record.ts';

/** The option by which each runner selects tests by a pattern of their titles. */
const OPTIONS: readonly [runner: RegExp, option: string][] = [
  [/(?:^|[\s/])vitest(?:\s|$)/, '-t'],
  [/(?:^|[\s/])jest(?:\s|$)/, '-t'],
  [/(?:^|[\s/])playwright\s+test(?:\s|$)/, '-g'],
  [/(?:^|[\s/])(?:pytest|py\.test)(?:\s|$)/, '-k'],
];
const NODE_TEST = /^((?:\S*\/)?node)(?=\s(?:.*\s)?--test(?:\s|$))/;
const NPM = /^npm\s+(?:(?:run|run-script)\s+)?(\S+)/;
/** Matches a command that selects tests itself or consists of several commands. */
const OWN = /(?:^|\s)(?:-t|-g|-k|--testNamePattern|--test-name-pattern|--grep)(?=[\s=]|$)|[;&|]/;
/** The most characters of a pattern. */
const MAX_PATTERN = 4000;

/** The command for these tests, and perhaps others of the same titles. Undefined if its runner cannot select them. */
export function commandForTests(command: string, tests: readonly TestRow[], folder = '.'): string | undefined {
  const [, script] = NPM.exec(command) ?? [];
  const text = script === undefined ? command : scriptIn(folder, script);
  const titles = [...new Set(tests.map(lastTitle))];
  if (OWN.test(`${command} ${text}`) || titles.some((title) => /['\n]/.test(title))) return undefined;
  const [, option] = OPTIONS.find(([runner]) => runner.test(text)) ?? [];
  const pattern = option === '-k' ? keywordsOf(titles) : titles.map(escaped).join('|');
  if (pattern === undefined || pattern.length > MAX_PATTERN) return undefined;
  if (option !== undefined)
    return `${command}${script !== undefined && !/\s--(?:\s|$)/.test(command) ? ' --' : ''} ${option} '${pattern}'`;
  return NODE_TEST.test(command) ? command.replace(NODE_TEST, `$1 --test-name-pattern='${pattern}'`) : undefined;
}

function scriptIn(folder: string, name: string): string {
  const file = `${folder}/package.json`;
  const { scripts = {} } =
    ((existsSync(file) ? tryParseJson(readFileSync(file, 'utf8')) : undefined) as Record<string, object>) ?? {};
  return String(Reflect.get(scripts, name === 't' ? 'test' : name) ?? '');
}

/** The title of a test, without the number that a repeated title has. */
function lastTitle({ name }: TestRow): string {
  return (name.split(' > ').at(-1) ?? name).replace(/ #\d+$/, '');
}

/** The expression for pytest, which selects by parts of names. Undefined if a name is not a plain word. */
function keywordsOf(titles: readonly string[]): string | undefined {
  const names = titles.map((title) => (title.split('::').at(-1) ?? title).split('[')[0] ?? '');
  return names.every((name) => /^\w+$/.test(name)) ? names.join(' or ') : undefined;
}

function escaped(title: string): string {
  return title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
