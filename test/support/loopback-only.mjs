// Preloaded into a process, and inherited by the processes that it starts. Refuses connections and name look-ups that leave
// this machine, and reports each on standard error.
import dns from 'node:dns';
import { Socket } from 'node:net';

const OWN = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|::1|0\.0\.0\.0|::)$/;

function refuse(what) {
  process.stderr.write(`loopback-only refused ${what}\n`);
  return Object.assign(new Error(`getaddrinfo ENOTFOUND ${what}`), { code: 'ENOTFOUND' });
}

const { connect } = Socket.prototype;
Socket.prototype.connect = function connectWithin(...args) {
  const [given] = args.flat();
  const host = typeof given === 'object' ? (given?.host ?? 'localhost') : (args[1] ?? 'localhost');
  const isPath = typeof given === 'string' || given?.path !== undefined;
  if (isPath || typeof host !== 'string' || OWN.test(host)) return connect.apply(this, args);
  process.nextTick(() => this.destroy(refuse(host)));
  return this;
};

const { lookup } = dns;
dns.lookup = (name, ...rest) => {
  if (OWN.test(name)) return lookup(name, ...rest);
  const callback = rest.at(-1);
  process.nextTick(() => callback(refuse(name)));
};
dns.promises.lookup = (name) => Promise.reject(refuse(name));
