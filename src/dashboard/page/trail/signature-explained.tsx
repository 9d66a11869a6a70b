import type { WholeDelivery } from '../../../webhooks/webhook-records.ts';
import { CopyButton } from '../pieces/copy-button.tsx';
import { Section } from '../pieces/page-head.tsx';
import { exactTime } from '../pieces/relative-time.tsx';

/** Which part of the header is what, and the exact text that was signed: envelopes are kept as they were written. */
export function SignatureExplained({ envelope, signature }: Pick<WholeDelivery, 'envelope' | 'signature'>) {
  if (!signature) return null;
  const parts = signature.split(',').map((part) => part.split('='));
  const t = parts.find(([name]) => name === 't')?.[1] ?? '';
  const v1 = parts.find(([name]) => name === 'v1')?.[1] ?? '';
  return (
    <Section title="Signature">
      <dl className="stack">
        <div>
          <dt>
            <code>
              <b data-part="t">t</b>={t}
            </code>
          </dt>
          <dd>When it was sent, in unix seconds: {exactTime(Number(t))}. Refuse it after 5 minutes.</dd>
        </div>
        <div>
          <dt>
            <code>
              <b data-part="v1">v1</b>={v1}
            </code>
          </dt>
          <dd>HMAC-SHA256 in hex, under the endpoint’s secret, of the text below.</dd>
        </div>
      </dl>
      <SignedText t={t} body={JSON.stringify(envelope)} />
    </Section>
  );
}

/** `t`, a full stop and the raw body: what is signed, byte for byte. */
function SignedText({ t, body }: { t: string; body: string }) {
  return (
    <div className="code framed sunken">
      <pre tabIndex={0} role="region" aria-label="Signed text">
        <b data-part="t">{t}</b>
        <b data-part="dot">.</b>
        {body}
      </pre>
      <CopyButton text={`${t}.${body}`} label="the signed text" />
    </div>
  );
}
