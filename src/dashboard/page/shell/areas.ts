import * as icons from 'lucide-react';
import { type Area, at } from '../data/addresses.ts';
import { PageStore } from '../data/browser.ts';
import { LatePart } from '../data/late-part.ts';

export interface AreaPage {
  area: Area;
  title: string;
  icon: icons.LucideIcon;
  page: LatePart;
  /** The key that opens it, after `g`. */
  letter?: string;
  under?: Area;
}

type AreaParts = Pick<AreaPage, 'page' | 'letter' | 'under'>;

export function area(name: Area, title: string, icon: icons.LucideIcon, parts: AreaParts): AreaPage {
  return { area: name, title, icon, ...parts };
}

/** Areas of the dashboard and of a trace. */
export const COMMON_AREAS = {
  live: area('live', 'Live', icons.Activity, {
    letter: 'l',
    page: new LatePart(() => import('../live/live-page.tsx')),
  }),
  money: area('money', 'Money', icons.Coins, {
    letter: 'm',
    page: new LatePart(() => import('../money/money-page.tsx')),
  }),
  webhooks: area('webhooks', 'Webhooks', icons.Webhook, {
    letter: 'w',
    page: new LatePart(() => import('../webhooks/webhooks-page.tsx')),
  }),
  timeline: area('timeline', 'Order', icons.Activity, {
    under: 'live',
    page: new LatePart(() => import('../timeline/timeline-page.tsx')),
  }),
};

const areas = new PageStore<readonly AreaPage[]>([]);

export function setAreas(all: readonly AreaPage[]): void {
  areas.set(all);
}

export function loadPages(): void {
  for (const { page } of areas.value) void page.load();
}

export function visibleAreas(): readonly AreaPage[] {
  return areas.value.filter(({ under }) => under === undefined);
}

/** For narrow layouts: `Jobs` of `Jobs and time`. */
export function shortTitle({ title }: AreaPage): string {
  return title.split(' and ')[0] ?? title;
}

export function areaOf(location: string): AreaPage | undefined {
  const isAt = (path: string) => location === path || location.startsWith(`${path}/`);
  return areas.value.find((each) => isAt(at[each.area]()));
}
