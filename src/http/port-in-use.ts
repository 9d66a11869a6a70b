import { z } from 'zod';
import { systemCode } from '../errors.ts';

/** How long the holder of a port has to say who it is, in milliseconds. */
const GRACE_MS = 1000;

const health = z.object({ version: z.string(), started_at: z.string(), clock: z.string() });
const instance = z.object({ data_dir: z.string().nullable() });

/** The port is another program's; the message says whose, as far as that one tells, and the way out. */
export class PortInUse extends Error {
  override name = 'PortInUse';
}

/** Tells of a port that is in use by whom it is. Rejects with `PortInUse`, or with what `listening` rejects with. */
export async function tellingHolder<T>(
  { host, port }: { host: string; port: number },
  listening: Promise<T>,
): Promise<T> {
  try {
    return await listening;
  } catch (error) {
    if (systemCode(error) !== 'EADDRINUSE') throw error;
    const near = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
    const holder = await holderOf(`http://${near.includes(':') ? `[${near}]` : near}:${port}`);
    throw new PortInUse(
      `Port ${port} of ${host} is in use by ${holder}. Stop that one, choose another port with --port (or SVC_EMULATOR_PORT), or let --port 0 pick a free one.`,
      { cause: error },
    );
  }
}

async function holderOf(url: string): Promise<string> {
  const found = health.safeParse(await ask(`${url}/_emulator/health`));
  if (!found.success) return 'another program';
  const told = instance.safeParse(await ask(`${url}/_emulator/instance`));
  return `another svc-emulator (version ${found.data.version}, ${told.success ? folderOf(told.data) : 'its data folder is told with its control token only'})`;
}

function folderOf({ data_dir: folder }: z.infer<typeof instance>): string {
  return folder === null ? 'which keeps nothing' : `data folder ${folder}`;
}

/** Whatever else answers there is no svc-emulator. */
async function ask(url: string): Promise<unknown> {
  try {
    return await (await fetch(url, { signal: AbortSignal.timeout(GRACE_MS) })).json();
  } catch {
    return undefined;
  }
}
