import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { at, useFilter, useOpened } from '../data/addresses.ts';
import { useMedia } from '../data/browser.ts';
import { fetchApi } from '../data/call-api.ts';
import { SelectField } from '../pieces/form-field.tsx';
import { ErrorNotice, PageHead } from '../pieces/page-parts.tsx';
import { CallWorkbench } from './call-workbench.tsx';
import { draftStore } from './drafted-call.tsx';
import { EngineTable } from './engine-table.tsx';
import { type Draft, readDocument, type ServiceCall, type ServiceDocument } from './read-document.ts';
import './playground.css';
import { useEffect } from 'react';
import { useRecord } from '../data/queries.ts';

/** Where the engines are compared. */
const ENGINES = 'engines';

/** A form for each operation of the service, made from its document. */
export default function PlaygroundPage() {
  const { id = 'createChatCompletion' } = useOpened('playground');
  const { data: calls = [], error } = useCalls();
  const isWide = useMedia('(min-width: 1280px)');
  const call = calls.find((each) => each.id === id);
  const clips = calls.find((each) => each.id === 'createVideo');
  useRecipe(call);
  return (
    <>
      <PageHead title="Playground">{!isWide && <OperationSelect calls={calls} id={id} />}</PageHead>
      <ErrorNotice error={error} />
      <div className="playground fill">
        {isWide && <OperationList calls={calls} id={id} />}
        {id === ENGINES && clips && <EngineTable call={clips} />}
        {call && <CallWorkbench key={call.id} call={call} />}
      </div>
    </>
  );
}

function useCalls() {
  return useQuery({
    queryKey: ['service document'],
    queryFn: async (): Promise<ServiceCall[]> => {
      const response = await fetchApi('/openapi.json', { headers: { accept: 'application/json' } });
      // Its samples are for an emulator at the usual place.
      const text = (await response.text()).replaceAll('127.0.0.1:4600', window.location.host);
      return readDocument(JSON.parse(text) as ServiceDocument);
    },
  });
}

function OperationSelect({ calls, id }: { calls: readonly ServiceCall[]; id: string }) {
  const [, navigate] = useLocation();
  const options = calls.map((call) => [call.id, titleOfOperation(call.id), `${call.method} ${call.path}`]);
  return (
    <SelectField
      label="Operation"
      value={id}
      options={[...options, [ENGINES, 'Compare engines']]}
      onChange={(chosen) => navigate(at.playground(chosen))}
    />
  );
}

/** `createChatCompletion` as `Create chat completion`. */
function titleOfOperation(id: string): string {
  const words = id.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The first word of a path below /v1. */
function groupOf({ path }: ServiceCall): string {
  const name = path.split('/')[2] ?? '';
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** Every operation, by what it is about. */
function OperationList({ calls, id }: { calls: readonly ServiceCall[]; id: string }) {
  const groups = [...new Set(calls.map(groupOf))];
  const linkTo = (each: string, title: string, note?: string) => (
    <li key={each}>
      <Link href={at.playground(each)} title={note} aria-current={each === id ? 'page' : undefined}>
        {title}
      </Link>
    </li>
  );
  return (
    <nav className="side-list fixed scrolls" aria-label="Operations">
      {groups.map((group) => (
        <section key={group}>
          <h2>{group}</h2>
          <ul>
            {calls
              .filter((call) => groupOf(call) === group)
              .map((call) => linkTo(call.id, titleOfOperation(call.id), `${call.method} ${call.path}`))}
            {group === 'Videos' && linkTo(ENGINES, 'Compare engines')}
          </ul>
        </section>
      ))}
    </nav>
  );
}

/** Fills the form from a render that the address names: `?from=lib_…`; then the address is as before. */
function useRecipe(call: ServiceCall | undefined): void {
  const [from, setFrom] = useFilter('from');
  const { data } = useRecord<{ id: string; recipe: Draft }>(`/library/${from}`, {
    enabled: from !== '',
  });
  useEffect(() => {
    if (!call || data?.id !== from || from === '') return;
    draftStore.put(call.id, fittingDraft(call, data.recipe));
    setFrom('');
  });
}

/** Pictures are kept in short in a recipe: they are left out. */
function fittingDraft({ fields }: ServiceCall, recipe: Draft): Draft {
  const known = fields.filter(({ as, name }) => as !== 'picture' && name !== 'references');
  return Object.fromEntries(known.flatMap(({ name }) => (recipe[name] === undefined ? [] : [[name, recipe[name]]])));
}
