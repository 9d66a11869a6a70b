import * as icons from 'lucide-react';
import type { ComponentType } from 'react';
import { PageStore } from './browser.ts';
import { LazyComponentStore } from './lazy-component.ts';

interface AreaParts {
  title: string;
  icon: icons.LucideIcon;
  address?: string;
  key?: string;
  /** The prefixes of the ids of records that the area shows, without `_`. */
  ids?: readonly string[];
  /** The area that the navigation marks as open while this one is open. */
  under?: string;
}

const AREAS = {
  live: { title: 'Live', icon: icons.Activity, key: 'l' },
  money: { title: 'Money', icon: icons.Coins, key: 'm' },
  webhooks: { title: 'Webhooks', icon: icons.Webhook, key: 'w', ids: ['we'] },
  output: { title: 'Output', icon: icons.SquareTerminal },
  flows: { title: 'Flows', icon: icons.Workflow, key: 'f', ids: ['flow', 'run'] },
  jobs: { title: 'Jobs and time', icon: icons.ListChecks, key: 'j' },
  gallery: { title: 'Gallery', icon: icons.Images, key: 'g', ids: ['lib', 'obj', 'el'] },
  playground: { title: 'Playground', icon: icons.Play, key: 'p' },
  faults: { title: 'Faults and snapshots', icon: icons.ShieldAlert, key: 'x', ids: ['flt'] },
  people: { title: 'Keys and people', icon: icons.Users, key: 'k', ids: ['acct', 'key', 'ws'] },
  docs: { title: 'Docs', icon: icons.BookOpen, key: 'd', address: '/docs' },
  verdict: { title: 'Verdict', icon: icons.Scale, under: 'live' },
  timeline: { title: 'Order', icon: icons.Activity, under: 'live', ids: ['req', 'job', 'evt', 'dlv', 'le'] },
} as const satisfies Record<string, AreaParts>;

export type AreaName = keyof typeof AREAS;

export interface AreaPage extends AreaParts {
  area: AreaName;
  page: LazyComponentStore;
}

const PARTS: Readonly<Record<AreaName, AreaParts>> = AREAS;
const NAMES = Object.keys(AREAS) as AreaName[];

export const areaPathBuilders = Object.fromEntries(
  NAMES.map((area) => {
    const { address = `/dashboard/${area}` } = PARTS[area];
    return [area, (id?: string) => (id === undefined ? address : `${address}/${encodeURIComponent(id)}`)];
  }),
) as Record<AreaName, (id?: string) => string>;

export function findAreaNameByRecordId(id: string): AreaName | undefined {
  return NAMES.find((area) => PARTS[area].ids?.some((prefix) => id.startsWith(`${prefix}_`)));
}

const pages = new PageStore<readonly AreaPage[]>([]);

type LoadPage = () => Promise<{ default: ComponentType }>;

export function setAreaPages(loads: Partial<Record<AreaName, LoadPage>>): void {
  pages.set(
    NAMES.flatMap((area) => {
      const load = loads[area];
      return load ? [{ ...PARTS[area], area, page: new LazyComponentStore(load) }] : [];
    }),
  );
}

export function preloadPages(): void {
  for (const { page } of pages.value) void page.load();
}

export function navigationAreas(): readonly AreaPage[] {
  return pages.value.filter(({ under }) => under === undefined);
}

export function findAreaPageByPath(location: string): AreaPage | undefined {
  return pages.value.find(({ area }) => `${location}/`.startsWith(`${areaPathBuilders[area]()}/`));
}
