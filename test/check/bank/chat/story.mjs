import { pathToFileURL } from 'node:url';
import { openAccount, readEnd, settled } from '../bank-account.mjs';
import { fetch } from '../plain-fetch.mjs';

// Bob says good evening, opens a second tab, and says something in each at the same time.
const SAID = ['What is behind the old lighthouse?', 'Tell me about the keeper.', 'Good evening.'];

export async function story(port) {
  const ask = async (path, body) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      body: JSON.stringify(body ?? {}),
    });
    return response.json();
  };
  await ask('/open');
  await ask('/say', { id: 'c', said: SAID[2] });
  await Promise.all([ask('/say', { id: 'a', said: SAID[0] }), ask('/say', { id: 'b', said: SAID[1] })]);
  const { messages } = await ask('/say', { id: 'b', said: SAID[1] });
  const refused = messages.filter(({ state }) => state === 'open' || state === 'refused');
  if (refused.length > 0) throw new Error(`Nobody answered "${refused[0].said}".`);
  const empty = messages.filter(({ state, reply }) => state === 'whole' && reply === '');
  if (empty.length > 0) throw new Error(`The answer to "${empty[0].said}" is empty.`);
}

/** The end of a reply, however its JSON is written. */
function isWhole(answer) {
  const pieces = [answer, ...answer.split('\n').map((line) => line.replace(/^data: ?/, ''))];
  return pieces.some((piece) => {
    try {
      return ['stop', 'length'].includes(JSON.parse(piece).choices?.[0]?.finish_reason);
    } catch {
      return false;
    }
  });
}

/** No reply that was cut is shown as whole. */
async function requireWhole() {
  const { account } = await openAccount();
  await settled(account.id);
  const { state, requests } = await readEnd(account.id);
  const paid = requests.filter(({ path, charges }) => path === '/v1/chat/completions' && charges.length > 0);
  const cut = paid.filter(({ answer }) => !isWhole(answer ?? '')).length;
  const whole = state.messages.filter((message) => message.state === 'whole').length;
  if (whole > paid.length - cut) throw new Error('A reply that was cut is shown as whole.');
}

/** The credits that it shows are those of the account. */
export async function check({ state, balance }) {
  if (state.credits !== balance) throw new Error(`It shows ${state.credits} credits of ${balance}.`);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await story(process.env.PORT);
  await requireWhole();
}
