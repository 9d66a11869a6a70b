/** Sends its message again whatever became of the first. */
export const GREEDY = `
const { SVC_BASE_URL: base, SVC_API_KEY: key } = process.env;
const headers = { authorization: 'Bearer ' + key, 'content-type': 'application/json' };
const body = JSON.stringify({ model: 'svc-rp-mini', max_tokens: 4, messages: [{ role: 'user', content: 'Hello.' }] });
const send = () => fetch(base + '/v1/chat/completions', { method: 'POST', headers, body }).then((answer) => answer.text());
await send().catch(send);
`;
