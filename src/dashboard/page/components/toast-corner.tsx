import { Toast } from '@base-ui/react/toast';
import { X } from 'lucide-react';
import { useEffect } from 'react';
import { useStore } from '../data/browser.ts';
import { Button, pendingToasts } from './page-parts.tsx';

const URGENT = { priority: 'high', timeout: 10_000 } as const;

export default function ToastCorner() {
  return (
    <Toast.Provider>
      <Toast.Portal>
        <Toast.Viewport className="toasts column">
          <ToastList />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function ToastList() {
  const { toasts, add } = Toast.useToastManager();
  const waiting = useStore(pendingToasts);
  useEffect(() => {
    if (!waiting?.length) return;
    pendingToasts.set([]);
    for (const message of waiting) add({ ...message, ...(message.type === 'bad' && URGENT) });
  }, [waiting, add]);
  return toasts.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className="notice toast framed" data-tone={toast.type}>
      <Toast.Content className="grow">
        <Toast.Title className="strong" render={<p />} />
        <Toast.Description className="soft" />
      </Toast.Content>
      {/* The close button is always reachable by Tab, so it is never hidden from assistive technology. */}
      <Toast.Close aria-hidden={false} render={<Button variant="quiet" icon={X} text="Dismiss" isSmall />} />
    </Toast.Root>
  ));
}
