import * as icons from 'lucide-react';
import type { ComponentType } from 'react';
import { recordSource } from '../data/call-api.ts';
import { PageStore } from '../data/page-store.ts';
import { type Area, at } from '../data/paths.ts';

export interface AreaPage {
  area: Area;
  title: string;
  icon: icons.LucideIcon;
  load: () => Promise<{ default: ComponentType }>;
  /** For a page that is not in the navigation: the area it belongs to. */
  under?: Area;
}

function area(name: Area, title: string, icon: icons.LucideIcon, load: AreaPage['load']): AreaPage {
  return { area: name, title, icon, load };
}

/** The loaded pages, by area. */
export const loadedPages = new PageStore<Partial<Record<Area, ComponentType>>>({});

export async function loadPage({ area: name, load }: AreaPage): Promise<void> {
  const { default: page } = await load();
  loadedPages.set({ ...loadedPages.value, [name]: page });
}

/** All areas, in the order of the navigation. Each is loaded when it is first opened. */
export const AREAS: readonly AreaPage[] = [
  area('live', 'Live', icons.Activity, () => import('../live/live-page.tsx')),
  area('money', 'Money', icons.Coins, () => import('../money/money-page.tsx')),
  area('webhooks', 'Webhooks', icons.Webhook, () => import('../webhooks/webhooks-page.tsx')),
  area('flows', 'Flows', icons.Workflow, () => import('../flows/flows-page.tsx')),
  area('jobs', 'Jobs and time', icons.ListChecks, () => import('../jobs/jobs-page.tsx')),
  area('gallery', 'Gallery', icons.Images, () => import('../gallery/gallery-page.tsx')),
  area('playground', 'Playground', icons.Play, () => import('../playground/playground-page.tsx')),
  area('faults', 'Faults and snapshots', icons.ShieldAlert, () => import('../faults/faults-page.tsx')),
  area('people', 'Keys and people', icons.Users, () => import('../people/people-page.tsx')),
  area('docs', 'Docs', icons.BookOpen, () => import('../reference/docs-page.tsx')),
];

/** Pages that are not in the navigation. */
const UNDER_LIVE = [
  area('verdict', 'Verdict', icons.Scale, () => import('../verdict/verdict-page.tsx')),
  area('trail', 'Order', icons.Activity, () => import('../trail/trail-page.tsx')),
].map((page): AreaPage => ({ ...page, under: 'live' }));
const COMPARE = area('compare', 'Two runs', icons.Columns2, () => import('../compare/compare-page.tsx'));

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
