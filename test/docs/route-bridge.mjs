// Serves the POST of a Next.js route handler, which is a function from Request to Response, as Next.js would.
import { createServer } from 'node:http';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';

const { POST } = await import(pathToFileURL(path.resolve(process.argv[2])).href);

const server = createServer(async (request, response) => {
  const { headers, method, url } = request;
  if (method !== 'POST' || url !== '/events') return response.writeHead(404).end();
  const body = Readable.toWeb(request);
  const init = { method, headers, body, duplex: 'half' };
  try {
    const answer = await POST(new Request(`http://${headers.host}${url}`, init));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(Buffer.from(await answer.arrayBuffer()));
  } catch {
    response.writeHead(500).end();
  }
});
server.listen(Number(process.env.PORT), '127.0.0.1', () => console.log('receiver ready'));
