// A bare Express server. It parses the same body, and returns the same bytes and the same events from memory.
import express from 'express';

const answer = Buffer.from(process.env.ANSWER ?? '{}', 'base64');
const events = JSON.parse(Buffer.from(process.env.EVENTS ?? 'W10=', 'base64').toString());
const app = express();
app.post('/v1/chat/completions', express.json({ limit: '32mb' }), (request, response) => {
  if (!request.body.stream) {
    response.type('application/json').send(answer);
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  for (const event of events) response.write(`data: ${event}\n\n`);
  response.end();
});
app.get('/v1/models', (_request, response) => {
  response.json({ object: 'list', data: [] });
});

app.listen(Number(process.env.PORT ?? 0), '127.0.0.1', function ready() {
  process.stdout.write(`ready on http://127.0.0.1:${this.address().port}\n`);
});
