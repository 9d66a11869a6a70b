import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { WireInput } from '../client/call-operation.ts';
import { fixtureFolder } from '../package/fixture-folder.ts';

/** A flow as `GET /_emulator/flows/{id}/definition` writes it; the emulator checks it. */
type ReadyMadeFlow = Pick<WireInput<'createFlow'>, 'name' | 'steps'>;

/** The flows of `fixtures/flows`, in the order of their files. */
export function readReadyMadeFlows(): ReadyMadeFlow[] {
  const folder = path.join(fixtureFolder(), 'flows');
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => JSON.parse(readFileSync(path.join(folder, file), 'utf8')));
}
