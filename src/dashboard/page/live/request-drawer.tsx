import { CodeXml, FlaskConical, Send } from 'lucide-react';
import { useLocation } from 'wouter';
import { useAccounts } from '../data/chosen-account.ts';
import { asCurl, asTest } from '../data/code-samples.ts';
import { at } from '../data/paths.ts';
import { useAct, useRecord } from '../data/queries.ts';
import type { RequestRecord } from '../data/records.ts';
import { Button } from '../pieces/button.tsx';
import { useCopy } from '../pieces/copy-button.tsx';
import { Credits } from '../pieces/credits.tsx';
import { Drawer } from '../pieces/drawer.tsx';
import { ErrorNotice, Notice } from '../pieces/error-notice.tsx';
import { IdChip } from '../pieces/id-chip.tsx';
import { JsonView } from '../pieces/json-view.tsx';
import { Facts, Section } from '../pieces/page-head.tsx';
import { TimeOfDay } from '../pieces/relative-time.tsx';
import { StatusBadge } from '../pieces/status-badge.tsx';
import { say, sayError } from '../pieces/toast.tsx';
import { EnginePrompt } from './engine-prompt.tsx';
import { durationText } from './request-columns.tsx';
import { sendAgain, whyNotAgain } from './send-again.ts';
import { StorySteps } from './story-steps.tsx';

/** Everything about one request. */
export function RequestDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const { data, error } = useRecord<RequestRecord>(`/requests/${id}`);
  const record = data?.id === id ? data : undefined;
  return (
    <Drawer
      label="Request"
      title={
        record ? (
          <>
            <StatusBadge status={record.status} /> {record.method} {record.path}
          </>
        ) : (
          id
        )
      }
      onClose={onClose}
    >
      <ErrorNotice error={error} />
      {record && <RequestContents record={record} />}
    </Drawer>
  );
}

function RequestContents({ record }: { record: RequestRecord }) {
  const { warnings, dropped, request, answer, engine_prompt: prompt } = record;
  return (
    <>
      <RequestTools record={record} />
      {warnings && <Notice tone="wait">Ignored: {decodeURIComponent(warnings)}</Notice>}
      {dropped && <Notice tone="wait">Not known to the engine: {decodeURIComponent(dropped)}</Notice>}
      <Section title="Story">
        <StorySteps record={record} />
      </Section>
      <Section title="Facts">
        <Facts facts={factsOf(record)} />
      </Section>
      {request !== null && (
        <Section title="Request">
          <JsonView value={request} label="Request body" />
        </Section>
      )}
      {prompt && (
        <Section title="Prompt of the engine">
          <EnginePrompt turns={prompt} />
        </Section>
      )}
      {answer !== null && (
        <Section title="Answer">
          <JsonView value={answer} label="Answer body" />
        </Section>
      )}
    </>
  );
}

function factsOf(record: RequestRecord) {
  const { id, account_id, key_id, operation, created, duration_ms, credits, retry_count } = record;
  return {
    Request: <IdChip id={id} />,
    Account: account_id && <IdChip id={account_id} />,
    Key: key_id && <IdChip id={key_id} />,
    Operation: operation,
    Time: <TimeOfDay at={created} />,
    Duration: durationText(duration_ms),
    Credits: credits === null ? null : <Credits amount={credits} />,
    Retries: retry_count > 0 ? `The client had tried ${retry_count} times before` : null,
  };
}

function RequestTools({ record }: { record: RequestRecord }) {
  const { accounts } = useAccounts();
  const isFirst = accounts.at(-1)?.id === record.account_id;
  const curl = useCopy();
  const test = useCopy();
  const [, navigate] = useLocation();
  const again = useAct(sendAgain, (id) => {
    say('Sent again', undefined, 'good');
    if (id) navigate(at.live(id));
  });
  const hindrance = whyNotAgain(record);
  return (
    <div className="drawer-tools">
      <Button icon={<CodeXml aria-hidden />} onClick={() => curl.copy(asCurl(record, isFirst))}>
        {curl.copied ? 'Copied' : 'Copy as curl'}
      </Button>
      <Button icon={<FlaskConical aria-hidden />} onClick={() => test.copy(asTest(record))}>
        {test.copied ? 'Copied' : 'Copy as test'}
      </Button>
      <Button
        icon={<Send aria-hidden />}
        disabled={hindrance !== undefined || again.isPending}
        title={hindrance}
        onClick={() => again.mutate(record, { onError: sayError })}
      >
        {again.isPending ? 'Sending' : 'Send again'}
      </Button>
    </div>
  );
}
