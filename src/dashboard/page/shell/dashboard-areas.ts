import * as icons from 'lucide-react';
import { area, COMMON_AREAS, setAreas } from './areas.ts';

export function setDashboardAreas(): void {
  const { live, money, webhooks, timeline } = COMMON_AREAS;
  setAreas([live, money, webhooks, ...OTHERS, timeline]);
}

const OTHERS = [
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
  area('verdict', 'Verdict', icons.Scale, { under: 'live', load: () => import('../verdict/verdict-page.tsx') }),
];
