import { appendFileSync, readFileSync, readdirSync } from 'node:fs';
import { afterAll, beforeAll, expect } from 'vitest';
type S = { ppid: number; cpu: number };
function read(): Map<number, S> {
  const all = new Map<number, S>();
  for (const n of readdirSync('/proc')) {
    if (!/^\d+$/.test(n)) continue;
    try {
      const s = readFileSync(`/proc/${n}/stat`, 'utf8');
      const f = s.slice(s.lastIndexOf(')') + 2).split(' ');
      all.set(Number(n), { ppid: Number(f[1]), cpu: (Number(f[11]) + Number(f[12]) + Number(f[13]) + Number(f[14])) / 100 });
    } catch {}
  }
  return all;
}
function total() {
  const all = read();
  const kids = new Map<number, number[]>();
  for (const [p, { ppid }] of all) kids.set(ppid, [...(kids.get(ppid) ?? []), p]);
  let sum = 0;
  const self = (() => { const u = process.cpuUsage(); return (u.user + u.system) / 1e6; })();
  const walk = (p: number) => { sum += all.get(p)?.cpu ?? 0; for (const k of kids.get(p) ?? []) walk(k); };
  walk(process.pid);
  return { sum, self };
}
const g = globalThis as { __cpu?: { sum: number; self: number; at: number } };
// counted from the end of the previous file in this process: imports of this file included
g.__cpu ??= { ...total(), sum: 0, self: 0, at: Date.now() - performance.now() };
afterAll(() => {
  const now = total();
  const last = g.__cpu!;
  appendFileSync(process.env.CPU_OUT ?? '/tmp/w/E/cpu.jsonl', JSON.stringify({ file: expect.getState().testPath?.replace(process.cwd() + '/', ''), cpu: +(now.sum - last.sum).toFixed(2), self: +(now.self - last.self).toFixed(2), wall: +((Date.now() - last.at) / 1000).toFixed(2), pid: process.pid }) + '\n');
  g.__cpu = { ...now, at: Date.now() };
});
