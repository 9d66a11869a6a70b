import { readFileSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll } from 'vitest';
import { emptyFolder } from '../../cli/spawned-program.ts';
import { cert, key } from '../../engine/webhooks/untrusted-certificate.ts';
import { type TestAccount, world } from '../../support/world.ts';

const PROFILE = path.join(import.meta.dirname, '..', '..', '..', 'fixtures', 'profiles', 'production.json');
/** The pace of its clock: so many seconds each so many milliseconds. */
const [SECONDS, EVERY_MS] = [20, 100];

/**
 * What stands for the service: https, a key of its own, no control surface, no directives, and the durations of production
 * without its failures. Its clock runs fast.
 */
export interface StandIn {
  /** By which a process is pointed to it. */
  env: Record<string, string>;
  account: TestAccount;
  /** Method and path of what it was asked, oldest first. */
  asked: string[];
}

export async function startStandIn(credits: number): Promise<StandIn> {
  const folder = emptyFolder();
  const [profile, authority] = [path.join(folder, 'profile.json'), path.join(folder, 'authority.pem')];
  writeFileSync(profile, readFileSync(PROFILE, 'utf8').replaceAll(/, "failure_rate": [\d.]+/g, ''));
  const service = await world({ profile, seed: 11, settleAfter: '0', publicUrl: 'https://127.0.0.1:1' });
  const account = await service.account({ plan: 'studio', credits });
  const asked: string[] = [];
  writeFileSync(authority, cert);
  const server = createServer({ cert, key }, (from, to) => {
    asked.push(`${from.method} ${from.url}`);
    void passOn(service.url, from, to);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const timer = setInterval(() => void service.advance(SECONDS).catch(() => undefined), EVERY_MS);
  afterAll(async () => {
    clearInterval(timer);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const keys = { SVC_API_KEY: account.key, OPENAI_API_KEY: account.key };
  const env = { SVC_TARGET: 'real', SVC_BASE_URL: url, OPENAI_BASE_URL: `${url}/v1`, NODE_EXTRA_CA_CERTS: authority };
  return { env: { ...env, ...keys, SSL_CERT_FILE: authority }, account, asked };
}

async function passOn(url: string, from: IncomingMessage, to: ServerResponse): Promise<void> {
  if (!from.url?.startsWith('/v1/')) {
    to.writeHead(404, { 'content-type': 'text/plain' }).end('no such page');
    return;
  }
  const pieces: Buffer[] = [];
  for await (const piece of from) pieces.push(piece);
  const whole = Buffer.concat(pieces);
  const isJson = from.headers['content-type']?.startsWith('application/json');
  // There, a directive is a word like any other.
  const body = isJson ? Buffer.from(whole.toString().replaceAll('[[', '( (')) : whole;
  const headers = { ...from.headers, host: new URL(url).host, 'content-length': String(body.length) };
  const next = request(url + from.url, { method: from.method, headers }, (answer) => {
    to.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(to);
  });
  next.on('error', () => to.destroy());
  next.end(from.method === 'GET' ? undefined : body);
}
