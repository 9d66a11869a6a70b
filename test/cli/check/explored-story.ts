import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type Ended, runCommand } from '../../support/run-command.ts';
import { folderOf } from '../spawned-program.ts';

/** A story that can ask: `post` for anything, `ask` for one paid message; then what else is written. */
export const asking = (more = '') => `
const { SVC_BASE_URL: base, SVC_API_KEY: key } = process.env;
const headers = { authorization: 'Bearer ' + key, 'content-type': 'application/json' };
const post = (path, body) => fetch(base + path, { method: 'POST', headers, body: JSON.stringify(body) });
const chatOf = (content) => ({ model: 'svc-rp-mini', max_tokens: 4, messages: [{ role: 'user', content }] });
const ask = (said = 'Hello.') => post('/v1/chat/completions', chatOf(said)).then((answer) => answer.text());
${more}`;

type Run = (line: readonly string[], folder: string) => Promise<Omit<Ended, 'exitCode'> & { exitCode: number | null }>;

/** Explores a story in a folder of its own, and reads its reports. */
export async function explored(
  text: string,
  args: readonly string[],
  run: Run = (line, folder) => runCommand(line, {}, folder),
) {
  const folder = folderOf({ 'story.mjs': text });
  const reports = ['--no-saved', '--jobs', '1', '--report', 'found.json', '--report', 'found.xml'];
  const ended = await run(['explore', ...reports, ...args, '--', 'node', 'story.mjs'], folder);
  const read = (name: string) =>
    existsSync(path.join(folder, name)) ? readFileSync(path.join(folder, name), 'utf8') : '';
  const json = read('found.json');
  return { ...ended, folder, xml: read('found.xml'), report: json === '' ? undefined : JSON.parse(json) };
}
