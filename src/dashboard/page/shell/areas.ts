import {
  Activity,
  BookOpen,
  Braces,
  Coins,
  Images,
  ListChecks,
  type LucideIcon,
  Play,
  ShieldAlert,
  Users,
  Webhook,
  Workflow,
} from 'lucide-react';
import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import { type Area, at } from '../data/paths.ts';

export interface AreaPage {
  area: Area;
  title: string;
  icon: LucideIcon;
  page: LazyExoticComponent<ComponentType>;
}

/** Every area of the page, in the order of the navigation. Each is loaded when it is first opened. */
export const AREAS: readonly AreaPage[] = [
  {
    area: 'live',
    title: 'Live',
    icon: Activity,
    page: lazy(() => import('../live/live-page.tsx')),
  },
  {
    area: 'money',
    title: 'Money',
    icon: Coins,
    page: lazy(() => import('../money/money-page.tsx')),
  },
  {
    area: 'people',
    title: 'Keys and people',
    icon: Users,
    page: lazy(() => import('../people/people-page.tsx')),
  },
  {
    area: 'gallery',
    title: 'Gallery',
    icon: Images,
    page: lazy(() => import('../gallery/gallery-page.tsx')),
  },
  {
    area: 'playground',
    title: 'Playground',
    icon: Play,
    page: lazy(() => import('../playground/playground-page.tsx')),
  },
  {
    area: 'jobs',
    title: 'Jobs and time',
    icon: ListChecks,
    page: lazy(() => import('../jobs/jobs-page.tsx')),
  },
  {
    area: 'webhooks',
    title: 'Webhooks',
    icon: Webhook,
    page: lazy(() => import('../webhooks/webhooks-page.tsx')),
  },
  {
    area: 'flows',
    title: 'Flows',
    icon: Workflow,
    page: lazy(() => import('../flows/flows-page.tsx')),
  },
  {
    area: 'faults',
    title: 'Faults and snapshots',
    icon: ShieldAlert,
    page: lazy(() => import('../faults/faults-page.tsx')),
  },
  {
    area: 'docs',
    title: 'Docs',
    icon: BookOpen,
    page: lazy(() => import('../reference/docs-page.tsx')),
  },
  {
    area: 'reference',
    title: 'API reference',
    icon: Braces,
    page: lazy(() => import('../reference/reference-page.tsx')),
  },
];

/** The area of an address; undefined for an address that is none. */
export function areaOf(location: string): AreaPage | undefined {
  return AREAS.find(({ area }) => location === at[area]() || location.startsWith(`${at[area]()}/`));
}
