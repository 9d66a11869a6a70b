// `node assert-end.mjs APP`: the command of --assert. What the app shows at the end fits what the service has on record.
import { text } from 'node:stream/consumers';
import { readEnd } from './bank-account.mjs';

const { account_id: id } = JSON.parse(await text(process.stdin));
const { check, checkEnd = check } = await import(`./${process.argv[2]}/story.mjs`);
await checkEnd(await readEnd(id));
