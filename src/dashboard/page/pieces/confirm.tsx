import { cloneElement, lazy, Suspense, useState } from 'react';
import { loadPatiently } from '../data/load-patiently.ts';
import type { ConfirmProps } from './confirm-popover.tsx';
import { OfService } from './of-service.tsx';

const ConfirmPopover = lazy(() => loadPatiently(() => import('./confirm-popover.tsx')));

/** Asks once more before something is lost. The question is loaded when its button is first pressed. */
export function Confirm(props: ConfirmProps) {
  return (
    <OfService>
      <ConfirmOnce {...props} />
    </OfService>
  );
}

function ConfirmOnce(props: ConfirmProps) {
  const [asked, setAsked] = useState(false);
  if (!asked) return cloneElement(props.trigger, { onClick: () => setAsked(true) });
  return (
    <Suspense fallback={props.trigger}>
      <ConfirmPopover {...props} />
    </Suspense>
  );
}
