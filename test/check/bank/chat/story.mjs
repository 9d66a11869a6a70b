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

/** What has to hold at the end, whatever was lost on the way. */
export function check({ state, balance, requests }) {
  const chats = requests.filter(({ path }) => path === '/v1/chat/completions');
  const paid = chats.filter(({ charges }) => charges.length > 0);
  const count = (name) => state.messages.filter((message) => message.state === name).length;
  if (state.credits !== balance) throw new Error(`It shows ${state.credits} credits of ${balance}.`);
  const cut = paid.filter(({ answer }) => !/"finish_reason":\s*"(?:stop|length)"/.test(answer ?? '')).length;
  if (count('whole') > paid.length - cut) throw new Error('A reply that was cut is shown as whole.');
}
