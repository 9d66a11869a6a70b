import path from 'node:path';
import { SERVICE } from '../api/routes.ts';
import { ConfigError } from '../config/config.ts';
import { readPlainFile } from '../config/plain-file.ts';
import { EVERY_REFUSAL, named, Overlay, type OverlayFacts, type OverlaySite } from '../faults/lies/overlay.ts';
import { counted } from '../log/counted.ts';
import { Attribution, type Touched } from './attribute.ts';
import { PAGE_OF } from './case-facts.ts';
import { type Difference, differencesOf } from './compare.ts';
import { type Fresh, measureHere } from './fresh-emulator.ts';
import { type BothShapes, eventOf, imitationOf, inEvent, inEvents } from './overlay-changes.ts';
import { type AnswerShape, type CaseShape, readShapes, type ShapesFile, staleness } from './shapes.ts';

/**
 * Compares a file of shapes with a fresh emulator, and answers how choices of the emulator are to be changed. Throws
 * `ConfigError` for a file that cannot be read or is no file of shapes.
 */
export async function readOverlay(file: string, fresh: Fresh): Promise<Overlay> {
  const shapes = requireShapes(file);
  const { cases, measured, against } = shapes;
  const here = await measureHere(cases, fresh);
  const found = everywhere(differing(cases, here));
  const [ruled, open] = [found.filter(({ rule }) => rule), found.filter(({ rule }) => !rule)];
  const imitated = open.map((each) => ({ each, site: siteOf(each) }));
  const sites = imitated.flatMap(({ site }) => site ?? []);
  const left = imitated.flatMap(({ each, site }) => (site ? [] : [each]));
  const name = path.basename(file);
  const warnings = [
    ...[staleness(shapes, fresh.clock.real()) ?? []].flat(),
    ...warningOf(ruled, (count) => `${count} of ${name} against a rule of the specification: here the rule holds`),
    ...warningOf(left, (count) => `${count} of ${name} that an overlay cannot imitate`),
  ];
  return new Overlay({ file: name, measured, against, sites: distinct(sites), warnings });
}

function requireShapes(file: string): ShapesFile {
  try {
    return readShapes(readPlainFile(file));
  } catch (error) {
    throw new ConfigError(`--overlay is ${file}, which cannot be used: ${Object(error).message}`);
  }
}

/** One difference of a case, with all that is known of it. */
interface Found extends Touched {
  each: CaseShape;
  difference: Difference;
  shapes: BothShapes;
  isEverywhere: boolean;
}

function differing(cases: readonly CaseShape[], here: ReadonlyMap<string, CaseShape>): Found[] {
  const attribution = new Attribution();
  return cases.flatMap((each) => {
    const own = here.get(each.id)?.shape;
    if (!each.shape || !own) return [];
    const shapes = { there: each.shape, here: own, isRead: isRead(each.operation) };
    return differencesOf(each, own).map((difference) => ({
      ...{ each, difference, shapes, isEverywhere: false },
      ...attribution.of(each, difference, own),
    }));
  });
}

/** What is asked for changes nothing that a later request would see. */
function isRead(operation: string): boolean {
  return ['GET', 'DELETE'].includes(routeOf(operation)?.method ?? '');
}

/** So many refusals that all differ alike stand for every one. */
const ALIKE = 3;

/** What all refusals that were measured have in common is so of every refusal. */
function everywhere(found: readonly Found[]): Found[] {
  const refusals = new Set(found.filter(({ shapes }) => isRefusal(shapes)).map(({ each }) => each.id));
  const groups = new Map<string, Found[]>();
  for (const each of found) {
    const key = JSON.stringify([isRefusal(each.shapes), each.difference]);
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (!first || !isRefusal(first.shapes) || group.length < ALIKE || group.length < refusals.size) return group;
    return [{ ...first, isEverywhere: true }];
  });
}

function isRefusal({ there, here }: BothShapes): boolean {
  return here.status >= 400 && there.status >= 400;
}

function siteOf({ each, difference, shapes, choice, isEverywhere }: Found): OverlaySite | undefined {
  const { here } = shapes;
  const event = eventOf(each, here);
  const inside = inEvent(difference, event);
  const change = imitationOf(inside, event === undefined ? shapes : inEvents(shapes));
  if (!change || (event !== undefined && !change.body)) return undefined;
  const at = isEverywhere ? EVERY_REFUSAL : event === undefined ? each.operation : `event ${event}`;
  const facts: OverlayFacts = { at, ...inside, ...(choice !== undefined && { choice }) };
  const states = /^get(?:Song|Video)$/.test(each.operation) && difference.what !== 'states' && statesOf(here);
  return {
    ...{ facts, change, words: wordsOf(facts), isRefusal: here.status >= 400 },
    isStream: here.media === 'text/event-stream',
    ...(!isEverywhere && routeOf(each.operation)),
    ...(!isEverywhere && event === undefined && { status: here.status, ...codeOf(here) }),
    ...(states && { states }),
  };
}

function routeOf(operation: string): { method: string; route: string } | undefined {
  const found = SERVICE.find(({ name }) => name === operation);
  return found && { method: found.method, route: found.path.replaceAll(/:(\w+)/g, '{$1}') };
}

function codeOf({ fields }: AnswerShape): { code?: string } {
  const [code] = fields['error.code']?.words ?? [];
  return code === undefined ? {} : { code };
}

/** The final states that were seen: a job that goes on need not have what one has in the end. */
function statesOf({ status, fields }: AnswerShape): readonly string[] | undefined {
  return status < 300 ? fields.status?.words : undefined;
}

/** As lists show it: `getSong status pending > done (C118)`. */
function wordsOf({ at, what, path: field = '', there = '', choice }: OverlayFacts): string {
  const size = PAGE_OF.test(there);
  const is = size ? there : there === 'absent' ? `without ${field}` : `${field === what ? '' : `${field} `}${there}`;
  return `${at} ${what === 'status' ? 'status ' : ''}${is}${choice === undefined ? '' : ` (${choice})`}`;
}

function distinct(sites: readonly OverlaySite[]): OverlaySite[] {
  const keyOf = ({ facts, status, code }: OverlaySite) => JSON.stringify([facts, status, code]);
  return [...new Map(sites.map((site) => [keyOf(site), site])).values()];
}

function warningOf(found: readonly Found[], says: (count: string) => string): string[] {
  const names = found.map(({ each, difference: { what, path: at }, rule, choice }) =>
    [rule ?? choice ?? 'new', each.operation, at === what ? what : `${what} ${at}`].join(' '),
  );
  const all = [...new Set(names)];
  if (all.length === 0) return [];
  return [`${says(counted(all.length, 'difference'))}: ${named(all)}.`];
}
