import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

interface EmptyStateProps {
  icon: LucideIcon;
  title: string;
  /** The next step: what to do so that something is here. */
  children?: ReactNode;
}

/** What a page says that has nothing to show yet. */
export function EmptyState({ icon: Icon, title, children }: EmptyStateProps) {
  return (
    <div className="empty">
      <Icon aria-hidden />
      <h2>{title}</h2>
      {children}
    </div>
  );
}
