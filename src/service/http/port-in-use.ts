import { z } from 'zod';
import { systemErrorCode } from '../../base/errors.ts';
import { LocalHttpClient, readResponseText } from '../../base/local-requests.ts';

const GRACE_MS = 1000;

const health = z.object({ version: z.string(), started_at: z.string(), clock: z.string() });

export class PortInUse extends Error {
  override name = 'PortInUse';
}

export async function namePortHolderOnConflict<T>(
  { host, port }: { host: string; port: number },
  listening: Promise<T>,
): Promise<T> {
  try {
    return await listening;
  } catch (error) {
    if (systemErrorCode(error) !== 'EADDRINUSE') throw error;
    const holder = await describePortHolder(localHttpUrl(host, port));
    throw new PortInUse(
      `Port ${port} of ${host} is in use by ${holder}. Stop that one, choose another port with --port (or SVC_EMULATOR_PORT), or let --port 0 pick a free one.`,
      { cause: error },
    );
  }
}

const NEAR: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** Replaces 0.0.0.0 and :: by a loopback address, because not every system can connect to them. */
export function localHttpUrl(host: string, port: number): string {
  return httpUrl(NEAR[host] ?? host, port);
}

export function httpUrl(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

export async function describePortHolder(url: string): Promise<string> {
  const found = health.safeParse(await ask(`${url}/_emulator/health`));
  return found.success ? `another svc-emulator (version ${found.data.version})` : 'another program';
}

async function ask(url: string): Promise<unknown> {
  try {
    const response = await new LocalHttpClient().send(url, { signal: AbortSignal.timeout(GRACE_MS) });
    return JSON.parse(await readResponseText(response));
  } catch {
    return undefined;
  }
}
