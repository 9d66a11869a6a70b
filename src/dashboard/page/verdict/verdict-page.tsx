import { Scale } from 'lucide-react';
import { Link } from 'wouter';
import type { WireAnswer } from '../../../control/call-operation.ts';
import { Button, EmptyState, ErrorNotice, Notice, PageHeader } from '../components/page-parts.tsx';
import { formatNumber, IdChip, pluralizeCount } from '../components/values.tsx';
import { MAX_AUTO_VERDICT_REQUESTS } from '../data/alerts.ts';
import { areaPathBuilders } from '../data/areas.ts';
import { useChosenAccountId } from '../data/chosen-account.ts';
import { useOperation } from '../data/queries.ts';

const AGAIN = 5000;
const MAX_IDS = 12;

export default function VerdictPage() {
  const account_id = useChosenAccountId();
  const again = (verdict?: Verdict) => (verdict?.requests ?? 0) <= MAX_AUTO_VERDICT_REQUESTS && AGAIN;
  const { data, error, isFetching, refetch } = useOperation('judgeClient', { account_id }, { again });
  return (
    <>
      <PageHeader title="Verdict">
        {data && <span className="soft">{pluralizeCount(data.requests, 'request')} checked</span>}
        {again(data) === false && (
          <Button text={isFetching ? 'Checking' : 'Check again'} disabled={isFetching} onClick={() => void refetch()} />
        )}
      </PageHeader>
      <ErrorNotice error={error} />
      {data?.ok && (
        <EmptyState icon={Scale} title="No findings">
          Paid retries, refused retries, tight polling and accepted forged events appear here.
        </EmptyState>
      )}
      <div className="padded scrolls">
        {data?.findings.map((finding) => (
          <Finding key={`${finding.message} ${finding.request_ids[0] ?? finding.delivery_ids[0]}`} {...finding} />
        ))}
      </div>
    </>
  );
}

type Verdict = WireAnswer<'judgeClient'>;

function Finding(found: Verdict['findings'][number]) {
  const ids = [...found.request_ids, ...found.delivery_ids];
  return (
    <section className="section stack">
      <h2>{found.finding.replaceAll('_', ' ')}</h2>
      <Notice tone="bad">{found.message}</Notice>
      <p>{found.remedy}</p>
      <p className="row wrap">
        <IdChip id={found.account_id} />
        {ids.slice(0, MAX_IDS).map((id) => (
          <Link key={id} className="named" href={areaPathBuilders.timeline(id)}>
            <code>{id}</code>
          </Link>
        ))}
        {ids.length > MAX_IDS && <span className="soft">and {formatNumber(ids.length - MAX_IDS)} more</span>}
      </p>
    </section>
  );
}
