import * as icons from 'lucide-react';
import type { ComponentType } from 'react';
import { type Area, at } from '../data/addresses.ts';
import { PageStore } from '../data/browser.ts';
import { recordSource } from '../data/call-api.ts';

export interface AreaPage {
  area: Area;
  title: string;
  icon: icons.LucideIcon;
  load: () => Promise<{ default: ComponentType }>;
  /** The key that opens it, after `g`. */
  letter?: string;
  /** For a page that is not in the navigation: the area it belongs to. */
  under?: Area;
}

/** The loaded pages, by area. */
export const loadedPages = new PageStore<Partial<Record<Area, ComponentType>>>({});

export async function loadPage({ area: name, load }: AreaPage): Promise<void> {
  const { default: page } = await load();
  loadedPages.set({ ...loadedPages.value, [name]: page });
}

type AreaParts = Pick<AreaPage, 'load' | 'letter' | 'under'>;

function area(name: Area, title: string, icon: icons.LucideIcon, parts: AreaParts): AreaPage {
  return { area: name, title, icon, ...parts };
}

export const AREAS: readonly AreaPage[] = [
  area('live', 'Live', icons.Activity, { letter: 'l', load: () => import('../live/live-page.tsx') }),
  area('money', 'Money', icons.Coins, { letter: 'm', load: () => import('../money/money-page.tsx') }),
  area('webhooks', 'Webhooks', icons.Webhook, { letter: 'w', load: () => import('../webhooks/webhooks-page.tsx') }),
  area('flows', 'Flows', icons.Workflow, { letter: 'f', load: () => import('../flows/flows-page.tsx') }),
  area('jobs', 'Jobs and time', icons.ListChecks, { letter: 'j', load: () => import('../jobs/jobs-page.tsx') }),
  area('gallery', 'Gallery', icons.Images, { letter: 'g', load: () => import('../gallery/gallery-page.tsx') }),
  area('playground', 'Playground', icons.Play, {
    letter: 'p',
    load: () => import('../playground/playground-page.tsx'),
  }),
  area('faults', 'Faults and snapshots', icons.ShieldAlert, {
    letter: 'x',
    load: () => import('../faults/faults-page.tsx'),
  }),
  area('people', 'Keys and people', icons.Users, { letter: 'k', load: () => import('../people/people-page.tsx') }),
  area('docs', 'Docs', icons.BookOpen, { letter: 'd', load: () => import('../reference/docs-page.tsx') }),
];

/** Pages that are not in the navigation. */
const UNDER_LIVE = [
  area('verdict', 'Verdict', icons.Scale, { under: 'live', load: () => import('../verdict/verdict-page.tsx') }),
  area('trail', 'Order', icons.Activity, { under: 'live', load: () => import('../trail/trail-page.tsx') }),
];
const COMPARE = area('compare', 'Two runs', icons.Columns2, { load: () => import('../compare/compare-page.tsx') });

/** The areas that a trace has: nothing can be sent or changed there. */
const RECORDED = new Set<Area>(['live', 'money', 'webhooks', 'flows', 'jobs', 'gallery', 'faults']);

/** The areas in the navigation. */
export function visibleAreas(): readonly AreaPage[] {
  if (!recordSource.value) return AREAS;
  const recorded = AREAS.filter(({ area: name }) => RECORDED.has(name));
  return [...recorded.map((each) => ({ ...each, title: shortTitle(each) })), COMPARE];
}

/** The title for narrow layouts: `Jobs` of `Jobs and time`. */
export function shortTitle({ title }: AreaPage): string {
  return title.split(' and ')[0] ?? title;
}

/** The area of an address; undefined if there is none. */
export function areaOf(location: string): AreaPage | undefined {
  const isAt = (path: string) => location === path || location.startsWith(`${path}/`);
  return [...AREAS, ...UNDER_LIVE, COMPARE].find((each) => isAt(at[each.area]()));
}
