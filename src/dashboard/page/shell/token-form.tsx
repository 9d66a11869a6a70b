import { LockKeyhole } from 'lucide-react';
import { openSession } from '../data/call-api.ts';
import { refreshAll } from '../data/queries.ts';
import { FieldsForm } from '../pieces/form.tsx';

/** Asks for the control token, once for this browser: the emulator is bound beyond loopback. */
export default function TokenForm() {
  const title = () => (
    <>
      <LockKeyhole aria-hidden />
      <h1>This emulator wants its control token</h1>
      <p className="soft">
        It can be reached from other machines. The token was printed when it started, or was given with{' '}
        <code>--control-token</code>.
      </p>
    </>
  );
  return (
    <main className="token-form centred sunken">
      <div className="popup popup-form">
        <FieldsForm
          fields={[{ name: 'token', label: 'Control token', type: 'secret' }]}
          {...{ before: title, action: 'Open the dashboard', onSuccess: refreshAll }}
          send={({ token = '' }) => openSession(token.trim())}
        />
      </div>
    </main>
  );
}
