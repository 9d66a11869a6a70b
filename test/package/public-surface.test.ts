import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { publicSurface } from './public-surface.ts';

const RECORD = path.join(import.meta.dirname, 'public-surface.txt');
const NOW = 'node_modules/.cache/public-surface.txt';

/** What has been changed on purpose since the record was written; whoever copies `NOW` over the record empties the list. */
const CHANGES: readonly { what: string; added?: RegExp; removed?: RegExp }[] = [
  {
    what: 'check is one command, in place of explore and mutate',
    added: /^svc-emulator check\b|^docs check|check-report|^(?:variable|mcp) /,
    removed:
      /explore|mutate|Mutat|Explor|^svc-emulator check\b|^export \S+ (?:check|Story)|check-(?:report|statements)|assertions\.json/,
  },
  {
    what: 'one command runs explore, mutate, spend, the report card and drift',
    added:
      /^svc-emulator check\b|^docs check\.md$|^export \S+ (?:check|checkTest|Check\w+)$|^mcp tool check\b|check-report\.schema/,
  },
  { what: 'the journal keeps as many requests as an option says', added: / options --journal-limit / },
  {
    what: 'documents say what a wait waits for, and which operations have a price',
    added: /^(?:GET \/_emulator\/wait query for|POST \/_emulator\/price body\.operation) /,
    removed: /^(?:GET \/_emulator\/wait query for|POST \/_emulator\/price body\.operation) /,
  },
  {
    what: 'documents list the models of an operation, and the form of an address',
    added: /^POST \/v1\/\S+ body\b.*(?:\.model\b|\.url format="uri")/,
    removed: /^POST \/v1\/\S+ body\b.*(?:\.model\b|\.url minLength=1)/,
  },
  {
    what: 'explore names deviations in the words of check and mutate',
    added: / explore options --(?:only|skip) <name>$/,
    removed: / explore options --(?:only|skip) <kind>$/,
  },
  { what: 'words have a page of their own', added: /^docs glossary\.md$/ },
  { what: 'SQL over HTTP is gone', removed: /sql/i },
  { what: 'accounts have no budgets', removed: /budget(?!\S*_seconds)/i },
  {
    what: 'fixtures report their tests as units',
    added: /_emulator\/units|^POST \/_emulator\/accounts .*\bunit|unitId|suiteTest|'(?:listUnits|endUnit)'/,
  },
  {
    what: 'notes can be put on record',
    removed: /^GET \/_emulator\/record .*enum=."write"/,
    added: /_emulator\/notes|^GET \/_emulator\/record .*(?:note|detail\.text)|note\(|createNote/,
  },
  { what: 'a read is on record with its bytes', added: /^GET \/_emulator\/record .*detail\.file/ },
  { what: 'a hit of a search has a sentence', added: /^GET \/_emulator\/search .*says/ },
  { what: 'verdicts of mutate on suites are documented', added: /^docs mutate-bank\.md/ },
  { what: 'a command can be run until it fails', added: /^svc-emulator exec options --repeat / },
  { what: 'a baseline can be written anew', added: /^svc-emulator exec options --update-baseline/ },
  {
    what: 'a file is written by --out',
    added: /^svc-emulator (explore merge|mutate merge|openapi|python-client) options --out /,
    removed: /^svc-emulator explore merge options --output /,
  },
  { what: 'a test says what it has to cost', added: /^export \S+ spends$/ },
  { what: 'what passes a proxy is recorded', added: /^svc-emulator record\b/ },
  { what: 'answers of a run are not kept', removed: /^svc-emulator (?:start|exec|explore) options --record / },
  { what: 'choices are data', added: /_emulator\/choices|'listChoices'|^svc-emulator choices\b/ },
  { what: 'drift is measured', added: /^svc-emulator drift\b|^docs drift\.md$|drift-(?:rules|words)\.json/ },
  {
    what: 'a suite is measured by the lies that it notices',
    added:
      /^svc-emulator (?:mutate|lies)\b|^docs mutate\.md$|^export \S+ (?:mutate|mutateTest|Mutat\w+)\b|mutate-report\.schema|^mcp tool mutate/,
  },
  {
    what: 'an emulator may lie on purpose',
    added:
      /_emulator\/lies|'listLies'|^svc-emulator lies\b|^docs faults\.md$|\beffect\S*\.(?:lie|field|liberty)\?|"(?:lie|liberty|hook\.\w+)"|match\S*\.(?:event|content_type)\?|\.(?:lies|lie|lied|broken|truth)\b|"lie_table"/,
    removed: /_emulator\/faults|"after_settle", "before_delivery"|_emulator\/deliver/,
  },
  { what: 'a request says what was sent in place of the truth', added: /\.response\b/ },
  {
    what: 'a parameter or a field of a form can be left out, but is never null',
    added: / (?:query \S+|multipart\/form-data\.\w+)\?(?:\|\d)? \w+=/,
    removed: / (?:query \S+|multipart\/form-data\.\w+)\?(?:(?:\|\d)+ .*| )$/,
  },
  {
    what: 'an order has a status, and its drawing has swimlanes',
    added: /_emulator\/orders.*\.(?:status|swimlanes)\b/,
    removed: /_emulator\/orders.*\.(?:fate|rails)\b/,
  },
  { what: 'a chat may fail by its content', added: /\beffect\S*\.reply\?|"reply"/ },
  { what: 'a wait may ask for genuine messages only', added: /^GET \/_emulator\/wait query genuine|WaitOptions$/ },
  { what: 'a finding may be allowed', added: /^svc-emulator (exec|explore) options --allow / },
  { what: 'a search of too few schedules may fail', added: /^svc-emulator explore options --min-schedules / },
  { what: 'an order paid again without a job is a finding', added: /"paid_again"/, removed: /"lost_event"\]/ },
  { what: 'a request says that its answer was discarded', added: /\.discarded\? const=true/ },
  { what: 'a trace opens at a moment, with a schedule above it', added: /_emulator\/trace .*\b(?:schedule|open_at)\b/ },
  { what: 'a row of Live marks what a lie has changed', added: /_emulator\/.*\bcall\.lie\b/ },
  { what: 'a ledger entry names its request', added: /_emulator\/.*\brequest_id\b/ },
  {
    what: 'the demo is a command, and can be shared as one page',
    added: /^svc-emulator demo\b|^svc-emulator commands/,
  },
  {
    what: 'the action names its artifact by itself, and hands more over',
    added: /^action /,
    removed: /^action input artifact /,
  },
];

it('offers what it offered before, but for what was changed on purpose [I268]', async () => {
  const now = await publicSurface();
  mkdirSync(path.dirname(NOW), { recursive: true });
  writeFileSync(NOW, `${now.join('\n')}\n`);
  const before = readFileSync(RECORD, 'utf8').trimEnd().split('\n');
  const added = now.filter((line) => !before.includes(line));
  const removed = before.filter((line) => !now.includes(line));
  expect({
    added: added.filter((line) => !CHANGES.some((change) => change.added?.test(line))),
    removed: removed.filter((line) => !CHANGES.some((change) => change.removed?.test(line))),
  }).toEqual({ added: [], removed: [] });
});
