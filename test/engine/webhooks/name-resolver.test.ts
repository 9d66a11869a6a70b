import type { LookupAddress } from 'node:dns';
import { expect, it } from 'vitest';
import { NameResolver } from '../../../src/engine/webhooks/hosts.ts';
import { HandClock } from './hand-clock.ts';

const address = { address: '93.184.216.34', family: 4 };

/** A name server that responds only when the test calls `answer`. */
class SlowServer {
  readonly open = new Map<string, (addresses: LookupAddress[]) => void>();
  readonly asked: string[] = [];

  readonly resolve = (host: string) => {
    this.asked.push(host);
    return new Promise<LookupAddress[]>((resolve) => this.open.set(host, resolve));
  };

  answer(host: string): void {
    this.open.get(host)?.([address]);
    this.open.delete(host);
  }
}

it('resolves two host names at a time, each once, and queues the others', async () => {
  const server = new SlowServer();
  const resolver = new NameResolver(new HandClock(), server.resolve);
  const names = ['a.example', 'b.example', 'a.example', 'c.example', 'a.example'];
  const all = Promise.all(names.map((name) => resolver.resolve(name)));
  expect(server.asked).toEqual(['a.example', 'b.example']);
  server.answer('a.example');
  await new Promise(setImmediate);
  expect(server.asked).toEqual(['a.example', 'b.example', 'c.example']);
  server.answer('b.example');
  server.answer('c.example');
  expect(await all).toEqual(names.map(() => [address]));
});

it('fails every waiting DNS lookup after 2 s, and starts none of the queued ones [I182]', async () => {
  const clock = new HandClock();
  const server = new SlowServer();
  const resolver = new NameResolver(clock, server.resolve);
  const names = ['a.example', 'b.example', 'c.example'];
  const all = Promise.allSettled(names.map((name) => resolver.resolve(name)));
  clock.elapse(1_999);
  clock.elapse(1);
  expect((await all).map(({ status }) => status)).toEqual(names.map(() => 'rejected'));
  server.answer('a.example');
  await new Promise(setImmediate);
  expect(server.asked).toEqual(['a.example', 'b.example']);
});
