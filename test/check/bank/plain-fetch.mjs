// The parts of `fetch` that the bank needs, over `node:http`. The built-in `fetch` of Node 20 takes a third of a second to
// load, and each run of the bank starts three processes.
import { request as open } from 'node:http';

/** One request on a connection of its own. Rejects if the response is lost; its body rejects if it is cut. */
export function fetch(url, { method = 'GET', headers = {}, body, signal } = {}) {
  return new Promise((resolve, reject) => {
    const request = open(url, { method, headers, signal, agent: false }, (response) => resolve(responseOf(response)));
    request.on('error', reject).end(body);
  });
}

function responseOf(body) {
  const { statusCode: status, headers } = body;
  const bytes = async () => Buffer.concat(await body.toArray());
  const text = async () => (await bytes()).toString();
  return {
    ...{ status, body, text, arrayBuffer: bytes },
    ok: status >= 200 && status < 300,
    headers: { get: (name) => headers[name] ?? null },
    json: async () => JSON.parse(await text()),
  };
}
