import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import Database from 'better-sqlite3';

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS tasks (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    occasion TEXT NOT NULL,
    -- queued, working, done, failed
    status TEXT NOT NULL DEFAULT 'queued',
    attempts INTEGER NOT NULL DEFAULT 0,
    not_before INTEGER NOT NULL DEFAULT 0,
    text TEXT,
    audio BLOB,
    error TEXT
  );
`;

/** The queue of greetings: a table that the web process fills, and that a worker process empties. */
export function openQueue(file) {
  const db = new Database(file);
  db.pragma('journal_mode = WAL');
  db.exec(SCHEMA);
  const take = db.prepare(
    `UPDATE tasks SET status = 'working', attempts = attempts + 1
     WHERE id = (SELECT id FROM tasks WHERE status = 'queued' AND not_before <= ? ORDER BY id LIMIT 1)
     RETURNING *`,
  );
  return {
    add: ({ name, occasion }) =>
      db.prepare('INSERT INTO tasks (name, occasion) VALUES (?, ?)').run(name, occasion).lastInsertRowid,
    task: (id) => db.prepare('SELECT * FROM tasks WHERE id = ?').get(id),
    /** The next task that is due, which now belongs to the caller. */
    take: () => take.get(Date.now()),
    keepText: (id, text) => db.prepare('UPDATE tasks SET text = ? WHERE id = ?').run(text, id),
    finish: (id, audio) => db.prepare("UPDATE tasks SET status = 'done', audio = ? WHERE id = ?").run(audio, id),
    fail: (id, error) => db.prepare("UPDATE tasks SET status = 'failed', error = ? WHERE id = ?").run(error, id),
    postpone: (id, seconds) =>
      db
        .prepare("UPDATE tasks SET status = 'queued', not_before = ? WHERE id = ?")
        .run(Date.now() + seconds * 1000, id),
    close: () => db.close(),
  };
}

/** `POST /greetings` queues a greeting, `GET /greetings/ID` returns 202 until it is done, then 200, or 502 if it failed. */
export function greetingServer(queue) {
  const send = (response, status, body) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

  async function handle(request, response) {
    const [, id, isAudio] = /^\/greetings(?:\/(\d+)(\.mp3)?)?$/.exec(request.url) ?? [];
    if (request.method === 'POST') return send(response, 202, { id: queue.add(await json(request)) });
    const task = queue.task(id);
    if (!task) return send(response, 404, { error: 'not_found' });
    if (task.status === 'failed') return send(response, 502, { error: task.error });
    if (task.status !== 'done') return send(response, 202, { status: task.status });
    if (isAudio) return response.writeHead(200, { 'content-type': 'audio/mpeg' }).end(task.audio);
    return send(response, 200, { text: task.text, audio: `/greetings/${id}.mp3` });
  }

  return createServer((request, response) => {
    handle(request, response).catch((error) => send(response, 400, { error: error.message }));
  });
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { QUEUE_FILE = 'greetings.db', PORT = '4900' } = process.env;
  greetingServer(openQueue(QUEUE_FILE)).listen(Number(PORT), '127.0.0.1');
}
