import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { browserNow } from '../data/browser-time.ts';
import { useStore } from '../data/page-store.ts';
import { at } from '../data/paths.ts';
import { useList, useRecord } from '../data/queries.ts';
import { Notice } from '../pieces/error-notice.tsx';
import { FormField } from '../pieces/form-field.tsx';
import { Code } from '../pieces/json-view.tsx';
import { Section } from '../pieces/page-head.tsx';
import { useFilter } from '../pieces/use-filter.ts';
import { checkSignature, type Judgement, type Pasted } from './check-signature.ts';
import { FindingList } from './finding-list.tsx';
import { canSign } from './hmac.ts';
import { knownSecrets } from './known-secrets.ts';
import { bodyOf, type Delivery, type WholeDelivery } from './sent-records.ts';
import { SignedText } from './signature-explained.tsx';

/** What a signature is, and a form that says why one fails. */
export function VerifierTab() {
  const [deliveryId] = useFilter('delivery');
  const { data, isPending } = useRecord<WholeDelivery>(`/deliveries/${deliveryId}`, {
    enabled: deliveryId !== '',
  });
  const secrets = useStore(knownSecrets);
  if (deliveryId !== '' && isPending) return null;
  const given = data?.id === deliveryId ? data : undefined;
  const pasted: Pasted = {
    secret: (given && secrets[given.endpoint_id]) ?? '',
    header: given?.signature ?? '',
    body: given ? bodyOf(given) : '',
  };
  return (
    <div className="verifier">
      <h2 className="unseen">Signature</h2>
      <Verifier key={deliveryId} given={pasted} />
      <Explanation />
    </div>
  );
}

function Verifier({ given }: { given: Pasted }) {
  const [pasted, setPasted] = useState(given);
  const judgement = useJudgement(pasted);
  const set = (change: Partial<Pasted>) => setPasted({ ...pasted, ...change });
  return (
    <div className="verifier-form">
      <Section title="Check a signature">
        <div className="hook-form">
          <LineField
            label="Signing secret"
            note="It stays in this page: nothing is sent anywhere."
            placeholder="whsec_…"
            value={pasted.secret}
            onChange={(secret) => set({ secret })}
          />
          <LineField
            label="Signature header"
            note="The value of svc-signature, as it came."
            placeholder="t=1893456000,v1=…"
            value={pasted.header}
            onChange={(header) => set({ header })}
          />
          <FormField label="Raw body" note="As it came over the wire, before any JSON parser.">
            <textarea
              className="input mono"
              rows={8}
              spellCheck={false}
              placeholder='{"id":"evt_…","type":"…"}'
              value={pasted.body}
              onChange={(event) => set({ body: event.target.value })}
            />
          </FormField>
        </div>
      </Section>
      <Section title="Verdict">
        {canSign() ? (
          <FindingList judgement={judgement} signatureOf={pasted} />
        ) : (
          <Notice tone="wait">
            This browser computes signatures on pages of localhost or over https only. Open this page at
            http://localhost.
          </Notice>
        )}
      </Section>
    </div>
  );
}

interface LineFieldProps {
  label: string;
  note: string;
  placeholder: string;
  value: string;
  onChange: (value: string) => void;
}

function LineField({ label, note, placeholder, value, onChange }: LineFieldProps) {
  return (
    <FormField label={label} note={note}>
      <input
        className="input mono"
        autoComplete="off"
        spellCheck={false}
        placeholder={placeholder}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </FormField>
  );
}

/** The judgement of what stands in the form now. */
function useJudgement(pasted: Pasted): Judgement | undefined {
  const [judgement, setJudgement] = useState<Judgement>();
  const delivery = useDeliveryOf(pasted.header);
  useEffect(() => {
    if (pasted.header === '' || pasted.secret === '' || !canSign()) {
      setJudgement(undefined);
      return;
    }
    let isLatest = true;
    const now = Math.floor(browserNow() / 1000);
    void checkSignature(pasted, { delivery, now }).then((found) => {
      if (isLatest) setJudgement(found);
    });
    return () => {
      isLatest = false;
    };
  }, [pasted, delivery]);
  return judgement;
}

/** The delivery on record that carried a header. */
function useDeliveryOf(header: string): WholeDelivery | undefined {
  const { data: deliveries = [] } = useList<Delivery>('/deliveries', { enabled: header !== '' });
  const found = deliveries.find(({ signature }) => signature && header.includes(signature));
  const { data } = useRecord<WholeDelivery>(`/deliveries/${found?.id}`, {
    enabled: found !== undefined,
  });
  return found && data?.id === found.id ? data : undefined;
}

const SAMPLE_BODY = '{"id":"evt_…","type":"image.generation.succeeded","created":1893456000,"data":{…}}';

const SNIPPET = `import { createHmac, timingSafeEqual } from 'node:crypto';

const parts = header.split(',').map((part) => part.trim().split('='));
const valuesOf = (name) => parts.filter(([key]) => key === name).map(([, value]) => value ?? '');
const [t] = valuesOf('t');
const expected = createHmac('sha256', secret).update(\`\${t}.\`).update(rawBody).digest();
const fits = valuesOf('v1').some((v1) => {
  const sent = Buffer.from(v1, 'hex');
  return sent.length === expected.length && timingSafeEqual(sent, expected);
});
const genuine = fits && unixSecondsNow - t <= 300;`;

function Explanation() {
  return (
    <div className="verifier-text">
      <Section title="What is signed">
        <p>
          Each delivery carries <code>svc-signature: t=…,v1=…</code>. Signed is <b data-part="t">t</b>, a full stop and
          the raw body:
        </p>
        <SignedText t="1893456000" body={SAMPLE_BODY} />
        <ul className="hook-points">
          <li>
            <b data-part="t">t</b> is when it was sent, in unix seconds of the machine. Refuse what is older than five
            minutes.
          </li>
          <li>
            <b data-part="v1">v1</b> is the HMAC-SHA256 in hex under the endpoint’s secret, <code>whsec_</code> and all.
            There may be several: one has to fit.
          </li>
          <li>Ignore versions that you do not know, and compare in constant time.</li>
          <li>JSON that was parsed and written again is another text: keep the bytes.</li>
        </ul>
      </Section>
      <Section
        title="In Node"
        tools={
          <Link className="named" href={at.docs('webhook-receivers')}>
            Six whole receivers
          </Link>
        }
      >
        <Code text={SNIPPET} label="A verifier for Node" />
      </Section>
    </div>
  );
}
