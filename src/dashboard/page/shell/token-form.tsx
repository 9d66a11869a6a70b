import { LockKeyhole } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { openSession } from '../data/call-api.ts';
import { refreshAll, useAct } from '../data/queries.ts';
import { FormField } from '../pieces/form-fields.tsx';
import { Button, ErrorNotice } from '../pieces/page-parts.tsx';

/** Asks for the control token, once for this browser: the emulator is bound beyond loopback. */
export default function TokenForm() {
  const [token, setToken] = useState('');
  const open = useAct(openSession, refreshAll);
  const send = (event: FormEvent) => {
    event.preventDefault();
    open.mutate(token.trim());
  };
  return (
    <main className="token-form centred sunken">
      <form className="stack framed" onSubmit={send}>
        <LockKeyhole aria-hidden />
        <h1>This emulator wants its control token</h1>
        <p className="soft">
          It can be reached from other machines. The token was printed when it started, or was given with{' '}
          <code>--control-token</code>.
        </p>
        <FormField label="Control token">
          <input
            className="input"
            type="password"
            autoComplete="off"
            required
            value={token}
            onChange={(event) => setToken(event.target.value)}
          />
        </FormField>
        <ErrorNotice error={open.error} />
        <Button look="primary" type="submit" disabled={open.isPending}>
          Open the dashboard
        </Button>
      </form>
    </main>
  );
}
