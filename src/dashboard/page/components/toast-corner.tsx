import { Toast } from '@base-ui/react/toast';
import { X } from 'lucide-react';

const CLOSE = { className: 'button', 'data-variant': 'quiet', 'data-only-icon': '' };

export const toasts = Toast.createToastManager();

export default function ToastCorner() {
  return (
    <Toast.Provider toastManager={toasts}>
      <Toast.Portal>
        <Toast.Viewport className="toasts column">
          <ToastList />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function ToastList() {
  return Toast.useToastManager().toasts.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className="notice toast framed" data-tone={toast.type}>
      <Toast.Content className="grow">
        <Toast.Title className="strong" render={<p />} />
        <Toast.Description className="soft" />
      </Toast.Content>
      {/* The close button is always reachable by Tab, so it is never hidden from assistive technology. */}
      <Toast.Close {...CLOSE} aria-label="Dismiss" title="Dismiss" aria-hidden={false}>
        <X aria-hidden />
      </Toast.Close>
    </Toast.Root>
  ));
}
