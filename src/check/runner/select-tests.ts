import { existsSync, readFileSync } from 'node:fs';
import { tryParseJson } from '../../base/text.ts';
import type { TestRow } from './run-record.ts';

const OPTIONS: readonly [runner: RegExp, option: string][] = [
  [/(?:^|[\s/])vitest(?:\s|$)/, '-t'],
  [/(?:^|[\s/])jest(?:\s|$)/, '-t'],
  [/(?:^|[\s/])playwright\s+test(?:\s|$)/, '-g'],
  [/(?:^|[\s/])(?:pytest|py\.test)(?:\s|$)/, '-k'],
];
const NODE_TEST = /^((?:\S*\/)?node)(?=\s(?:.*\s)?--test(?:\s|$))/;
const NPM = /^npm\s+(?:(?:run|run-script)\s+)?(\S+)/;
const OWN = /(?:^|\s)(?:-t|-g|-k|--testNamePattern|--test-name-pattern|--grep)(?=[\s=]|$)|[;&|]/;
const MAX_PATTERN = 4000;

/** Undefined if the tests cannot be selected. Other tests run too if their titles contain a title of `tests`. */
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

function lastTitle({ name }: TestRow): string {
  return (name.split(' > ').at(-1) ?? name).replace(/ #\d+$/, '');
}

function keywordsOf(titles: readonly string[]): string | undefined {
  const names = titles.map((title) => (title.split('::').at(-1) ?? title).split('[')[0] ?? '');
  return names.every((name) => /^\w+$/.test(name)) ? names.join(' or ') : undefined;
}

function escaped(title: string): string {
  return title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
