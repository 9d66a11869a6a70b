import { X } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { Button } from './button.tsx';

/** A list, and beside it the drawer of the row that is open. */
export function Split({ children, drawer }: { children: ReactNode; drawer: ReactNode }) {
  return (
    <div className="split fill">
      <div className="column grow">{children}</div>
      {drawer}
    </div>
  );
}

interface DrawerProps {
  title: ReactNode;
  /** What it shows, for those who do not see it. */
  label: string;
  onClose: () => void;
  tools?: ReactNode;
  children: ReactNode;
}

/** What a row is about, beside the list; Escape closes it. */
export function Drawer({ title, label, onClose, tools, children }: DrawerProps) {
  useEffect(() => {
    const close = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented) onClose();
    };
    window.addEventListener('keydown', close);
    return () => window.removeEventListener('keydown', close);
  }, [onClose]);
  return (
    <aside className="drawer column" aria-label={label}>
      <div className="page-head row ruled fixed">
        <h2 className="cut grow">{title}</h2>
        {tools}
        <Button look="quiet" icon={<X aria-hidden />} aria-label="Close" onClick={onClose} />
      </div>
      <div className="drawer-body fill scrolls" tabIndex={0} role="region" aria-label={`${label}, contents`}>
        {children}
      </div>
    </aside>
  );
}
