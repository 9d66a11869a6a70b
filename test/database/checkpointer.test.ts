import { copyFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Checkpointer } from '../../src/database/checkpointer.ts';
import { Connection } from '../../src/database/connection.ts';
import { emptyFolder } from '../cli/spawned-program.ts';

const MEBIBYTE = 1_048_576;
/** A look is taken at one commit among these. */
const COMMITS = 32;

function open() {
  const folder = emptyFolder();
  const file = path.join(folder, 'test.db');
  const connection = new Connection(file, { mode: 'durable' });
  const checkpointer = new Checkpointer({ file, synchronous: 'NORMAL' });
  onTestFinished(() => {
    checkpointer.close();
    connection.close();
  });
  connection.script('CREATE TABLE notes (text BLOB)');
  const write = (mebibytes: number) => {
    for (let commit = 0; commit < COMMITS; commit += 1) {
      connection.run('INSERT INTO notes VALUES (zeroblob(?))', Math.ceil((mebibytes * MEBIBYTE) / COMMITS));
      checkpointer.look();
    }
  };
  return { file, folder, connection, checkpointer, write };
}

const logOf = (file: string) => statSync(`${file}-wal`).size;

it('writes a long log back to the database beside whoever writes, and begins it anew', async () => {
  const { file, folder, connection, checkpointer, write } = open();
  write(20);
  expect(logOf(file)).toBeGreaterThan(20 * MEBIBYTE);
  await checkpointer.settled();
  const alone = path.join(folder, 'alone.db');
  copyFileSync(file, alone);
  const copy = new Connection(alone, { mode: 'reading' });
  expect(copy.get('SELECT COUNT(*) AS n FROM notes')).toEqual({ n: COMMITS });
  copy.close();
  connection.run("INSERT INTO notes VALUES ('after')");
  expect(logOf(file)).toBeLessThan(8 * MEBIBYTE);
});

it('leaves a short log alone', async () => {
  const { file, checkpointer, write } = open();
  write(4);
  await checkpointer.settled();
  expect(logOf(file)).toBeGreaterThan(4 * MEBIBYTE);
});

it('lets a database be moved from under it', async () => {
  const { folder, checkpointer, write, connection } = open();
  write(20);
  rmSync(folder, { recursive: true });
  await checkpointer.settled();
  expect(connection.get('SELECT COUNT(*) AS n FROM notes')).toEqual({ n: COMMITS });
});
