// The plain way: parses the same body, answers the same bytes from memory, streams the same chunks.
import http from 'node:http';
import express from 'express';

const answer = Buffer.from(process.env.ANSWER ?? '{}', 'base64');
const app = express();
app.post('/v1/chat/completions', express.json({ limit: '32mb' }), (_request, response) => {
  response.type('application/json').send(answer);
});
app.get('/v1/models', (_request, response) => {
  response.json({ object: 'list', data: [] });
});

const stream = http.createServer((request, response) => {
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`data: ${answer}\n\n`);
    response.end('data: [DONE]\n\n');
  });
});

app.listen(Number(process.env.PORT ?? 0), '127.0.0.1', function ready() {
  stream.listen(0, '127.0.0.1', () => {
    process.stdout.write(
      `ready on http://127.0.0.1:${this.address().port} http://127.0.0.1:${stream.address().port}\n`,
    );
  });
});
