import { LockKeyhole } from 'lucide-react';
import { FieldsForm } from '../components/form.tsx';
import { openSession } from '../data/call-api.ts';
import { refreshQueries } from '../data/queries.ts';

export default function ControlTokenForm() {
  const title = () => (
    <>
      <LockKeyhole aria-hidden />
      <h1>Enter the control token</h1>
      <p className="soft">
        This emulator accepts connections from other machines. The token was printed at startup, or set with{' '}
        <code>--control-token</code>.
      </p>
    </>
  );
  return (
    <main className="token-form centred sunken">
      <div className="popup popup-form">
        <FieldsForm
          fields={[{ name: 'token', label: 'Control token', type: 'secret' }]}
          {...{ before: title, action: 'Open the dashboard', onSuccess: () => void refreshQueries() }}
          send={({ token = '' }) => openSession(token.trim())}
        />
      </div>
    </main>
  );
}
