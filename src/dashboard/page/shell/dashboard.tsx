import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { ApiError } from '../data/call-api.ts';
import { queries, useRecord } from '../data/queries.ts';
import { Toasts } from '../pieces/toasts.tsx';
import { PageShell, type RecordParts } from './page-shell.tsx';

const TokenForm = lazy(() => import('./token-form.tsx'));

/** The whole page. No component may add styles of its own: the content security policy would refuse them. */
export function Dashboard({ record }: { record?: RecordParts }) {
  return (
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queries}>
        <Gate record={record} />
        <Toasts />
      </QueryClientProvider>
    </CSPProvider>
  );
}

/** Beyond loopback nothing is shown before the control token is there. */
function Gate({ record }: { record: RecordParts | undefined }) {
  const { error } = useRecord('/clock');
  if (error instanceof ApiError && error.status === 401) {
    return (
      <Suspense fallback={null}>
        <TokenForm />
      </Suspense>
    );
  }
  return <PageShell record={record} />;
}
