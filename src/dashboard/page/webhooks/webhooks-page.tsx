import { Webhook } from 'lucide-react';
import { EmptyState } from '../pieces/empty-state.tsx';
import { PageHead } from '../pieces/page-head.tsx';

export default function WebhooksPage() {
  return (
    <>
      <PageHead title="Webhooks" />
      <EmptyState icon={Webhook} title="This page is not built yet">
        <p>Until then, GET /_emulator/deliveries lists what was sent.</p>
      </EmptyState>
    </>
  );
}
