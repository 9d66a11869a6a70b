import {
  Activity,
  BookOpen,
  Coins,
  Columns2,
  Images,
  ListChecks,
  type LucideIcon,
  Play,
  Scale,
  ShieldAlert,
  Users,
  Webhook,
  Workflow,
} from 'lucide-react';
import { type ComponentType, lazy } from 'react';
import { recordSource } from '../data/call-api.ts';
import { type Area, at } from '../data/paths.ts';

export interface AreaPage {
  area: Area;
  title: string;
  icon: LucideIcon;
  page: ComponentType;
  /** A page without a place of its own in the navigation: that under which it belongs. */
  under?: Area;
}

type Load = () => Promise<{ default: ComponentType }>;

function area(name: Area, title: string, icon: LucideIcon, load: Load): AreaPage {
  return { area: name, title, icon, page: lazy(load) };
}

/** Every area of the page, in the order of the navigation. Each is loaded when it is first opened. */
export const AREAS: readonly AreaPage[] = [
  area('live', 'Live', Activity, () => import('../live/live-page.tsx')),
  area('money', 'Money', Coins, () => import('../money/money-page.tsx')),
  area('webhooks', 'Webhooks', Webhook, () => import('../webhooks/webhooks-page.tsx')),
  area('flows', 'Flows', Workflow, () => import('../flows/flows-page.tsx')),
  area('jobs', 'Jobs and time', ListChecks, () => import('../jobs/jobs-page.tsx')),
  area('gallery', 'Gallery', Images, () => import('../gallery/gallery-page.tsx')),
  area('playground', 'Playground', Play, () => import('../playground/playground-page.tsx')),
  area('faults', 'Faults and snapshots', ShieldAlert, () => import('../faults/faults-page.tsx')),
  area('people', 'Keys and people', Users, () => import('../people/people-page.tsx')),
  area('docs', 'Docs', BookOpen, () => import('../reference/docs-page.tsx')),
];

const VERDICT: AreaPage = {
  ...area('verdict', 'Verdict', Scale, () => import('../verdict/verdict-page.tsx')),
  under: 'live',
};

const TRAIL: AreaPage = {
  ...area('trail', 'Order', Activity, () => import('../trail/trail-page.tsx')),
  under: 'live',
};

const COMPARE = area('compare', 'Two runs', Columns2, () => import('../compare/compare-page.tsx'));

/** What a record has pages of: nothing can be tried or made there. */
const RECORDED = new Set<Area>(['live', 'money', 'webhooks', 'flows', 'jobs', 'gallery', 'faults']);

/** The areas that have a place in the navigation. */
export function shownAreas(): readonly AreaPage[] {
  if (!recordSource.value) return AREAS;
  const recorded = AREAS.filter(({ area: name }) => RECORDED.has(name));
  return [...recorded.map((each) => ({ ...each, title: shortTitle(each) })), COMPARE];
}

/** For where there is no room: `Jobs` of `Jobs and time`. */
export function shortTitle({ title }: AreaPage): string {
  return title.split(' and ')[0] ?? title;
}

/** The area of an address; undefined for an address that is none. */
export function areaOf(location: string): AreaPage | undefined {
  const isAt = (path: string) => location === path || location.startsWith(`${path}/`);
  return [...AREAS, TRAIL, COMPARE, VERDICT].find((each) => isAt(at[each.area]()));
}
