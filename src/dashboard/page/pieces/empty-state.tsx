import { type LucideIcon, SearchX } from 'lucide-react';
import type { ReactNode } from 'react';
import { recordSource } from '../data/record-source.ts';

interface EmptyStateProps {
  icon: LucideIcon;
  title: string;
  /** The next step: what to do so that something is here. */
  children?: ReactNode;
  /** Whether that can be done over the record of a run too, as another search can. */
  inRecord?: boolean;
}

/** What a page says that has nothing to show yet. */
export function EmptyState({ icon: Icon, title, children, inRecord = Icon === SearchX }: EmptyStateProps) {
  return (
    <div className="empty row soft fill">
      <Icon aria-hidden />
      <h2>{title}</h2>
      {(inRecord || !recordSource.value) && children}
    </div>
  );
}
