import { CircleCheck, CircleX, Info } from 'lucide-react';
import { Code } from '../pieces/json-view.tsx';
import { LinkedText } from '../pieces/linked-text.tsx';
import type { Judgement, Pasted } from './check-signature.ts';

const ICONS = { good: CircleCheck, bad: CircleX, wait: Info, plain: Info };

/** What was found out about a pasted signature. */
export function FindingList(props: { judgement: Judgement | undefined; signatureOf: Pasted }) {
  const { judgement, signatureOf } = props;
  if (!judgement) {
    const missing = [
      ...(signatureOf.secret === '' ? ['the secret'] : []),
      ...(signatureOf.header === '' ? ['the header'] : []),
    ];
    return <p className="soft">Paste {missing.join(' and ')}; the verdict comes by itself.</p>;
  }
  const { fits, findings, t, expected } = judgement;
  return (
    <div className="hook-findings" role="status">
      <p className="hook-verdict" data-tone={fits ? 'good' : 'bad'}>
        {fits ? 'Genuine: a receiver takes it.' : 'A receiver refuses it.'}
      </p>
      <ul>
        {findings.map(({ tone, title, note }) => {
          const Icon = ICONS[tone];
          return (
            <li key={title} className="hook-finding" data-tone={tone}>
              <Icon aria-hidden />
              <div>
                <strong>{title}.</strong> <span className="soft">{note && <LinkedText text={note} />}</span>
              </div>
            </li>
          );
        })}
      </ul>
      {expected && (
        <>
          <p className="soft">With this secret and this body the header would be:</p>
          <Code text={`t=${t},v1=${expected}`} label="The header that fits" />
        </>
      )}
    </div>
  );
}
