// Dan has two posts drafted, approves one and rejects the other.
import { setTimeout as sleep } from 'node:timers/promises';
import { fetch } from '../plain-fetch.mjs';

/** What there is before the story: a flow that drafts a post and waits for its editor. */
export async function prepare({ emulator, account }) {
  const steps = [
    { nodeId: 'words', type: 'text', params: { prompt: 'A line about {{inputs.topic}}.', max_tokens: 12 } },
    { nodeId: 'publish', type: 'post', params: { text: '{{steps.1.text}}' } },
  ];
  const order = { workspace_id: account.workspaceId, account_id: account.id, name: 'Posts', steps };
  const headers = { 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify(order) };
  const { id, hook_url: hook } = await (await fetch(`${emulator.url}/_emulator/flows`, init)).json();
  return { FLOW: id, HOOK: hook };
}

export async function story(port) {
  const ask = async (path, body) => {
    const init = body && { method: 'POST', body: JSON.stringify(body) };
    return (await fetch(`http://127.0.0.1:${port}${path}`, init)).json();
  };
  const reach = async (id, states) => {
    for (let turn = 0; turn < 400; turn += 1) {
      const post = (await ask('/state')).posts.find((each) => each.id === id);
      if (states.includes(post?.state)) return post.state;
      await sleep(20);
    }
    throw new Error(`The post "${id}" never got to be ${states.join(' or ')}.`);
  };
  for (const [id, choice, end] of [
    ['fog', 'approve', 'published'],
    ['rain', 'reject', 'dropped'],
  ]) {
    await ask('/posts', { id, topic: `the ${id}` });
    if ((await reach(id, ['draft', 'refused'])) === 'refused') throw new Error(`The post "${id}" was refused.`);
    await ask('/click', { id, choice });
    await reach(id, [end]);
  }
}

/** What was approved is published once, what was rejected is not. */
export function check({ state: { published } }) {
  const ids = published.map(({ id }) => id).join(', ');
  if (ids !== 'fog') throw new Error(`Published: ${ids || 'nothing'}; approved: fog.`);
  if (!published[0].text) throw new Error('What was published is empty.');
}
