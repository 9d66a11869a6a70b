import { CircleDollarSign, Clock, Hand, type LucideIcon, Scale, ShieldAlert, Webhook, Workflow } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { momentText } from '../data/call-api.ts';
import { useNeeds } from '../data/needs.ts';
import { useStore } from '../data/page-store.ts';

const ICONS: Record<string, LucideIcon> = {
  live: Hand,
  flows: Workflow,
  webhooks: Webhook,
  money: CircleDollarSign,
  jobs: Clock,
  faults: ShieldAlert,
  verdict: Scale,
};

/** What needs somebody, in one line of one height; `children` stand at its end. */
export function NeedsLine({ children }: { children: ReactNode }) {
  const needs = useNeeds();
  const moment = useStore(momentText);
  return (
    <div className="needs row ruled fixed">
      {needs.length === 0 && <span className="soft needs-none">{moment ?? 'Nothing needs you'}</span>}
      {needs.map(({ area, tone, text, href }) => {
        const Icon = ICONS[area] ?? Clock;
        return (
          <Link key={area} href={href} data-tone={tone} className="need button" data-look="quiet">
            <Icon aria-hidden />
            {text}
          </Link>
        );
      })}
      <span className="grow" />
      {children}
    </div>
  );
}
