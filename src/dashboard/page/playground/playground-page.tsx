import { Send, Square } from 'lucide-react';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { capitalized } from '../../../base/text.ts';
import { LabelledField, SelectField } from '../components/form.tsx';
import { Button, ErrorNotice, FilterChoices, PageHeader, Section } from '../components/page-parts.tsx';
import { CodeBlock } from '../components/values.tsx';
import { useAccountSelection, withAccountKey } from '../data/account-and-clock.ts';
import { useFilterChoice, useOpenRecord, useUrlParam } from '../data/addresses.ts';
import { PageStore, useStore } from '../data/browser.ts';
import { CODE_SAMPLE_WRITERS, formatCurlCommand, type ServiceCall } from '../data/code-samples.ts';
import { useJsonFile, useRecord } from '../data/queries.ts';
import { type CallResult, CallResultView, sendServiceCallWithUpdates } from './call-result.tsx';
import {
  buildCallFromDraft,
  type CallDraft,
  describeDraftProblem,
  listServiceOperations,
  type ServiceOpenApiDocument,
  type ServiceOperation,
} from './service-call.ts';
import './playground.css';
import { areaPathBuilders } from '../data/areas.ts';

export default function PlaygroundPage() {
  const { id = 'createChatCompletion' } = useOpenRecord('playground');
  const [, navigate] = useLocation();
  const { data, error } = useJsonFile<ServiceOpenApiDocument>('/openapi.json', 'OpenAPI document');
  // Replaces the default address, which the samples of the document use.
  const text = JSON.stringify(data ?? { paths: {} }).replaceAll('127.0.0.1:4600', window.location.host);
  const calls = listServiceOperations(JSON.parse(text));
  const call = calls.find((each) => each.id === id);
  const options = calls.map((each) => [each.id, titleOf(each.id), `${each.method} ${each.path}`]);
  return (
    <>
      <PageHeader title="Playground">
        <SelectField
          label="Operation"
          value={id}
          options={options}
          onChange={(to) => navigate(areaPathBuilders.playground(to))}
        />
      </PageHeader>
      <ErrorNotice error={error} />
      {call && <Workbench key={call.id} call={call} />}
    </>
  );
}

function titleOf(id: string): string {
  return capitalized(id.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`));
}

const drafts = new PageStore<Readonly<Record<string, CallDraft>>>({});

function Workbench({ call }: { call: ServiceOperation }) {
  const { account, isFirst } = useAccountSelection();
  const body = call.presets[0]?.[1] ?? (call.fields.length > 0 ? '{}' : '');
  const draft: CallDraft = useStore(drafts)[call.id] ?? { params: {}, body };
  const change = (part: Partial<CallDraft>) => drafts.set({ ...drafts.value, [call.id]: { ...draft, ...part } });
  useRecipe(call, (recipe) => change({ body: recipe }));
  const { result, send, stop } = useSending();
  const fault = describeDraftProblem(call, draft);
  const ready = fault === undefined ? buildCallFromDraft(call, draft) : undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (account && ready && !result.isSending) send(ready, account.id);
  };
  return (
    <div className="playground fill">
      <form className="playground-form column" aria-label={call.summary} onSubmit={submit}>
        <div className="drawer-body stack fill scrolls" tabIndex={0} role="region" aria-label="Request">
          <h2>
            <code>
              {call.method} {call.path}
            </code>
          </h2>
          <p className="soft">{call.summary}</p>
          <Fields call={call} draft={draft} onChange={change} />
        </div>
        <div className="playground-send row padded sunken">
          <p className="soft grow">{fault}</p>
          {result.isSending ? (
            <Button text="Cancel" icon={Square} onClick={stop} />
          ) : (
            <Button text="Send" variant="primary" type="submit" icon={Send} disabled={!account || !ready} />
          )}
        </div>
      </form>
      <div className="drawer-body scrolls" tabIndex={0} role="region" aria-label="Result">
        <CallResultView {...result} />
        {ready && <CodeTabs call={ready} isFirst={isFirst} />}
      </div>
    </div>
  );
}

function Fields(props: { call: ServiceOperation; draft: CallDraft; onChange: (part: Partial<CallDraft>) => void }) {
  const { call, draft, onChange } = props;
  const { params, fields, presets, isUpload } = call;
  return (
    <>
      {params.map(({ name, description }) => (
        <LabelledField key={name} label={name} note={description}>
          <input
            className="input"
            value={draft.params[name] ?? ''}
            onChange={({ target }) => onChange({ params: { ...draft.params, [name]: target.value } })}
          />
        </LabelledField>
      ))}
      {isUpload && (
        <LabelledField label="File">
          <input
            className="file-input soft"
            type="file"
            onChange={({ target }) => onChange({ file: target.files?.[0] })}
          />
        </LabelledField>
      )}
      {presets.length > 1 && (
        <div className="row wrap" role="group" aria-label="Examples">
          {presets.map(([name, body]) => (
            <Button key={name} text={name} onClick={() => onChange({ body })} />
          ))}
        </div>
      )}
      {fields.length > 0 && (
        <LabelledField label="Body" note={`JSON with the fields ${fields.join(', ')}.`}>
          <textarea
            className="input mono"
            rows={16}
            spellCheck={false}
            value={draft.body}
            onChange={({ target }) => onChange({ body: target.value })}
          />
        </LabelledField>
      )}
    </>
  );
}

function useSending() {
  const [result, setResult] = useState<CallResult>({ isSending: false });
  const ending = useRef(new AbortController());
  const stop = () => {
    ending.current.abort();
    setResult({ isSending: false });
  };
  useEffect(() => () => ending.current.abort(), []);
  const send = (call: ServiceCall, accountId: string) => {
    ending.current = new AbortController();
    const { signal } = ending.current;
    const update = (news: Partial<CallResult>) => signal.aborted || setResult((before) => ({ ...before, ...news }));
    setResult({ isSending: true });
    withAccountKey(accountId, (key) => sendServiceCallWithUpdates(call, { key, signal, update }))
      .catch((error: unknown) => update({ error }))
      .finally(() => update({ isSending: false }));
  };
  return { result, send, stop };
}

const PICTURES = ['reference', 'end_reference', 'references'];

function useRecipe({ fields }: ServiceOperation, onBody: (body: string) => void): void {
  const [from, setFrom] = useUrlParam('from');
  const { record: data } = useRecord('showEntry', from, { enabled: from !== '' });
  useEffect(() => {
    if (!data || from === '') return;
    const known = fields.filter((name) => !PICTURES.includes(name) && data.recipe[name] !== undefined);
    onBody(JSON.stringify(Object.fromEntries(known.map((name) => [name, data.recipe[name]])), null, 2));
    setFrom('');
  });
}

function CodeTabs({ call, isFirst }: { call: ServiceCall; isFirst: boolean }) {
  const chosen = CODE_SAMPLE_WRITERS[useFilterChoice(LANGUAGE) ?? ''] ?? formatCurlCommand;
  const write = call.form ? formatCurlCommand : chosen;
  const request = call.request?.replaceAll(/"(data:[\w./+-]+;base64,)[\w+/=]{200,}"/g, '"$1…"') ?? null;
  return (
    <Section title="Code" tools={!call.form && <FilterChoices {...LANGUAGE} />}>
      <CodeBlock text={write({ ...call, request }, isFirst)} label="The call as code" />
    </Section>
  );
}

const LANGUAGE = {
  name: 'code',
  label: 'Language',
  options: Object.fromEntries(Object.keys(CODE_SAMPLE_WRITERS).map((name) => [name, name])),
};
