import { useState } from 'react';
import { callControl } from '../data/call-api.ts';
import { emulatorNow } from '../data/emulator-clock.ts';
import { Button } from '../pieces/button.tsx';
import { FormField } from '../pieces/form-field.tsx';
import { PopupForm } from '../pieces/popup-form.tsx';

/** Sets the clock to any time after the emulator was seeded. */
export function ClockForm() {
  const [time, setTime] = useState(localTime);
  const send = () => callControl('PUT', '/clock', { now: new Date(time).toISOString() });
  return (
    <PopupForm
      trigger={<Button onClick={() => setTime(localTime())}>Set</Button>}
      title="Set the clock"
      note="A frozen clock stays frozen. What falls due on the way is settled."
      action="Set the clock"
      onSend={send}
    >
      <FormField label="Date and time" note="In the time zone of this browser.">
        <input
          className="input"
          type="datetime-local"
          step={1}
          required
          value={time}
          onChange={(event) => setTime(event.target.value)}
        />
      </FormField>
    </PopupForm>
  );
}

/** The emulator's time as such a field takes it: local, without a zone. */
function localTime(): string {
  const date = new Date(emulatorNow());
  const shifted = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 19);
}
