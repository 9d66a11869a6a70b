import { Toast } from '@base-ui/react/toast';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import type { Tone } from './status-badge.tsx';

const toasts = Toast.createToastManager();

/** Says something for a few seconds, at the edge of the page. */
export function say(title: string, note?: string, tone: Tone = 'plain'): void {
  toasts.add({ title, type: tone, ...(note ? { description: note } : {}) });
}

/** Says what went wrong. */
export function sayError(error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  toasts.add({ title: message, type: 'bad', priority: 'high', timeout: 10_000 });
}

/** Around the page, once. */
export function Toasts({ children }: { children: ReactNode }) {
  return (
    <Toast.Provider toastManager={toasts}>
      {children}
      <Toast.Portal>
        <Toast.Viewport className="toasts">
          <ToastList />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function ToastList() {
  return Toast.useToastManager().toasts.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className="toast" data-tone={toast.type}>
      <Toast.Content className="toast-text">
        <Toast.Title className="toast-title" render={<p />} />
        <Toast.Description className="toast-note" />
      </Toast.Content>
      <Toast.Close render={<Button look="quiet" icon={<X aria-hidden />} aria-label="Dismiss" />} />
    </Toast.Root>
  ));
}
