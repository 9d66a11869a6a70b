// test/bench/zz.ts
import { existsSync } from "node:fs";

// test/bench/watched-server.ts
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
async function watchedServer(dataFolder, ...flags) {
  const start = ["dist/main.js", "start", "--port", "0", "--data-dir", dataFolder, "--log", "silent"];
  const server2 = spawn(
    process.execPath,
    ["--import", process.env.WATCH ?? "./test/bench/loop-watch.mjs", ...start, ...flags],
    {
      stdio: ["ignore", "pipe", "inherit", "ipc"]
    }
  );
  const [line] = await once(createInterface(server2.stdout), "line");
  const [url = ""] = /http:\/\/\S+/.exec(String(line)) ?? [];
  return {
    url,
    async seen() {
      const answer = once(server2, "message");
      server2.send("read");
      return (await answer)[0];
    },
    async close() {
      server2.disconnect();
      server2.kill("SIGTERM");
      if (server2.exitCode === null) await once(server2, "exit");
    }
  };
}

// test/bench/bench-folder.ts
import path from "node:path";
var PARENT = path.resolve("node_modules/.cache/bench");

// test/bench/read-hold-bench.ts
var MOST_MS = 50;
var CHATS = 8e3;
var IMAGES = 1e3;
var AT_ONCE = 8;
var TIMES = 3;
var words = (q) => `q=${encodeURIComponent(q)}`;
var search = (q, more = "") => `/_emulator/search?${words(q)}${more}`;
var READS = {
  "the verdict of 8,000 chats of 30 KB": "/_emulator/verdict",
  "the same, of one account": "/_emulator/verdict?account_id={account}",
  "a search for two letters that are nowhere": search("qz"),
  "a search for twenty letters": search([..."qzjxkvbpygfwmucldrhs"].join(" ")),
  "a search for a word that is everywhere": search("path"),
  "a search for a word that is nowhere": search("zeppelin"),
  "a search for two words that never meet": search("where harbour"),
  "a search with an account": search("qz", "&account_id={account}"),
  "a search with an account by name": search("account:local zeppelin"),
  "a search with every trait": search("is:failed is:done is:open has:refund has:job has:charge is:refused zeppelin"),
  "a search whose nearest are dear": search("path status:200 model:svc-rp-mni is:done lead zeppelin where does"),
  "requests, a page": "/_emulator/requests",
  "requests in brief, a page": "/_emulator/requests?brief=true&limit=1000",
  "requests with a text that is nowhere": "/_emulator/requests?text=zeppelin",
  "requests of a path that is nowhere": "/_emulator/requests?path=/v1/nowhere",
  "orders, a page": "/_emulator/orders?limit=1000",
  "orders, searched": `/_emulator/orders?limit=1000&${words("path")}`,
  "jobs, a page": "/_emulator/jobs?limit=1000",
  "jobs, searched": `/_emulator/jobs?limit=1000&${words("pier")}`,
  "events, a page": "/_emulator/events?limit=1000",
  "deliveries, a page": "/_emulator/deliveries?limit=1000",
  "ledger entries, a page": "/_emulator/accounts/{account}/usage?limit=1000",
  "the sums of an account": "/_emulator/accounts/{account}/usage/summary",
  "the spending of all": "/_emulator/spending",
  "the library, a page": "/_emulator/library?limit=1000",
  "the library, searched": `/_emulator/library?limit=1000&${words("zeppelin")}&account_id={account}`,
  "the objects, a page": "/_emulator/objects?limit=1000",
  "the audit log, a page": "/_emulator/record?limit=1000",
  "the invariants": "/_emulator/invariants",
  "the instance": "/_emulator/instance",
  "the OpenAPI document": "/openapi.json",
  "the events of an order": "/_emulator/trail/{job}",
  "an order explained": "/_emulator/explain/{request}"
};
async function fillRecord({ url, seen }, done = seen) {
  const post = async (at, body) => {
    const headers = { authorization: "Bearer svc_sk_local_emulator", "content-type": "application/json" };
    const answer = await fetch(url + at, { method: "POST", headers, body: JSON.stringify(body) });
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`${at} was answered ${answer.status}`);
  };
  await post("/v1/webhooks", { url: `${url}/_emulator/inbox/bench`, events: ["image.generation.succeeded"] });
  let left = CHATS + IMAGES;
  const ask = async () => {
    while (left > 0) {
      left -= 1;
      const content = `${left} ${"Where does the path lead? ".repeat(1150)}`;
      const isImage = left % Math.floor((CHATS + IMAGES) / IMAGES) === 0;
      if (isImage) await post("/v1/images/generations", { prompt: `a pier ${left}` });
      else await post("/v1/chat/completions", { model: "svc-rp-mini", messages: [{ role: "user", content }] });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, ask));
  await fetch(`${url}/_emulator/wait?for=idle&timeout=60`);
  await done();
}
async function readRows({ url, seen }, reads = Object.entries(READS)) {
  await (await fetch(url + search("path"))).arrayBuffer();
  const first = async (list) => (await (await fetch(`${url}${list}`)).json()).data[0]?.id ?? "";
  const [account, job] = [await first("/_emulator/accounts"), await first("/_emulator/jobs?limit=1")];
  const rows = [];
  for (const [name, read] of reads) {
    const path2 = read.replace("{account}", account).replace("{job}", job);
    const held = [];
    const took = [];
    let status = 0;
    for (let time = 0; time < TIMES; time += 1) {
      await seen();
      const began = performance.now();
      const answer = await fetch(url + path2);
      await answer.arrayBuffer();
      status = answer.status;
      took.push(performance.now() - began);
      held.push((await seen()).milliseconds);
    }
    const milliseconds = Math.min(...held);
    rows.push({
      name,
      ours: `${milliseconds.toFixed(0)} ms`,
      theirs: `${MOST_MS} ms (${status}, ${Math.min(...took).toFixed(0)} ms)`,
      ratio: milliseconds / MOST_MS,
      bar: "<= 1"
    });
  }
  return rows;
}

// test/bench/zz.ts
var folder = process.argv[2] ?? "";
var had = existsSync(folder);
var server = await watchedServer(folder, "--credits", "1000000");
var say = async (what) => console.log(what, JSON.stringify(await server.seen()));
await say("start");
if (!had) await fillRecord(server, () => say("fill"));
await (await fetch(server.url + "/_emulator/search?q=path")).arrayBuffer();
await say("first search");
var w = process.argv[3] ?? "";
for (const r of await readRows(server, Object.entries(READS).filter(([n]) => n.includes(w)))) console.log(r.name.padEnd(50), r.ours.padEnd(9), r.theirs);
await server.close();
