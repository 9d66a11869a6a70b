import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider } from '@tanstack/react-query';
import { ApiError } from '../data/call-api.ts';
import { queries, useRecord } from '../data/queries.ts';
import { Toasts } from '../pieces/toast.tsx';
import { PageShell } from './page-shell.tsx';
import { TokenForm } from './token-form.tsx';

/** The whole page. No component may add styles of its own: the content security policy would refuse them. */
export function Dashboard() {
  return (
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queries}>
        <Toasts>
          <Gate />
        </Toasts>
      </QueryClientProvider>
    </CSPProvider>
  );
}

/** Beyond loopback nothing is shown before the control token is there. */
function Gate() {
  const { error } = useRecord('/clock');
  if (error instanceof ApiError && error.status === 401) return <TokenForm />;
  return <PageShell />;
}
