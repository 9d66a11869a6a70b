import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { emptyFolder } from '../cli/spawned-program.ts';

/** A folder for --fixtures, gone after the last test of the file. */
export class FixtureFolder {
  readonly path = emptyFolder();

  constructor(files: Record<string, string | Buffer | object> = {}) {
    for (const [name, content] of Object.entries(files)) this.write(name, content);
  }

  /** An object is written as JSON. */
  write(name: string, content: string | Buffer | object): void {
    const file = path.join(this.path, name);
    mkdirSync(path.dirname(file), { recursive: true });
    const isRaw = typeof content === 'string' || Buffer.isBuffer(content);
    writeFileSync(file, isRaw ? content : JSON.stringify(content, null, 2));
  }

  remove(name: string): void {
    rmSync(path.join(this.path, name));
  }
}
