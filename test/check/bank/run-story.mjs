// `node run-story.mjs APP FILE` loads a copy of an application into this process, runs its story, and checks the result.
import { pathToFileURL } from 'node:url';
import { keepState, openAccount, readEnd, settled } from './bank-account.mjs';

const [, , app, file] = process.argv;
const { story, prepare, check } = await import(`./${app}/story.mjs`);
const parts = await openAccount();
const settings = (await prepare?.(parts)) ?? {};
const { close } = await import(`${pathToFileURL(file)}?${new URLSearchParams(settings)}`);
const port = process.env.PORT;
try {
  await story(port, parts);
  await settled(parts.account.id);
  await check?.(await readEnd(parts.account.id));
} finally {
  await keepState();
  await close();
}
process.exit();
