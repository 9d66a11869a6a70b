import { ClipboardCheck } from 'lucide-react';
import { useState } from 'react';
import { lengthText } from '../../../orders/timeline-event.ts';
import type { CheckResult, ReportCard } from '../../../report-card/report-card.ts';
import { callControl } from '../data/call-api.ts';
import { FieldsForm } from '../pieces/form.tsx';
import type { FieldSpec } from '../pieces/form-field.tsx';
import { Facts, Notice } from '../pieces/page-parts.tsx';
import { Badge, type Tone } from '../pieces/values.tsx';

const FIELDS: readonly FieldSpec[] = [
  { name: 'url', label: 'URL of your receiver', type: 'text', placeholder: 'http://localhost:3000/events' },
  { name: 'secret', label: 'The secret that it verifies with', type: 'text', placeholder: 'whsec_…' },
];

const TONES: Record<CheckResult['verdict'], Tone> = { pass: 'good', fail: 'bad', skipped: 'plain' };

/** Tests a receiver with deliveries as they happen in production, and shows the results. */
export function ReportCardTab() {
  const [card, setCard] = useState<ReportCard>();
  return (
    <div className="report-card drawer-body fill scrolls">
      <FieldsForm
        {...{ fields: FIELDS, action: 'Try it', busy: 'Trying it', icon: ClipboardCheck, done: setCard }}
        before={() => (
          <p className="soft">
            Sends what will happen in production, one thing after another: genuine deliveries, forged and late ones,
            duplicates, odd bodies. Nothing of it is recorded or charged.
          </p>
        )}
        send={(order) => callControl<ReportCard>('POST', '/verify', order)}
      />
      {card && <Card card={card} />}
    </div>
  );
}

function Card({ card: { ok, passed, failed, skipped, checks } }: { card: ReportCard }) {
  return (
    <>
      <Notice tone={ok ? 'good' : 'bad'}>
        {passed} of {checks.length} checks passed, {failed} failed, {skipped} skipped.
      </Notice>
      <ul className="lines framed" aria-label="Checks">
        {checks.map((check) => (
          <li key={check.name}>
            <CheckLine check={check} />
          </li>
        ))}
      </ul>
    </>
  );
}

/** One check: the expected answer of a receiver, and the actual one. */
function CheckLine({ check }: { check: CheckResult }) {
  const { title, verdict, correct, got, mend, note, duration_ms } = check;
  return (
    <details open={verdict === 'fail'}>
      <summary className="line">
        <Badge tone={TONES[verdict]}>{verdict}</Badge>
        <span className="cut grow">{title}</span>
        <span className="soft">{lengthText(duration_ms)}</span>
      </summary>
      <Facts facts={{ 'A correct one': correct, 'It said': got, 'To mend it': mend, Note: note }} />
    </details>
  );
}
