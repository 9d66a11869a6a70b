// `node assert-end.mjs APP` is the command of --assert. It compares the app's final state with the service's records.
import { text } from 'node:stream/consumers';
import { readEnd } from './bank-account.mjs';

const { account_id: id } = JSON.parse(await text(process.stdin));
const { check, checkEnd = check } = await import(`./${process.argv[2]}/story.mjs`);
await checkEnd(await readEnd(id));
