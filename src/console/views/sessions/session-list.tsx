import { MessagesSquare, Plus } from 'lucide';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { SessionList as Sessions } from '../../../../routes/sessions.ts';
import type { SessionSummary } from '../../../session/session.ts';
import { useAgents } from '../../api/agents.ts';
import { listen } from '../../api/events.ts';
import { request } from '../../api/request.ts';
import { type Resource, useResource } from '../../api/resource.ts';
import { Button } from '../../elements/button.tsx';
import { Field, SelectField } from '../../elements/fields.tsx';
import { EmptyState, Panel } from '../../elements/panel.tsx';
import { ResourceState } from '../../elements/resource-state.tsx';
import { Ago, count, countOf, Name } from '../../elements/text.tsx';
import { VirtualList } from '../../elements/virtual-list.tsx';
import { WarningList } from '../../elements/warnings.tsx';
import { addressOf, route, setParams } from '../../route.ts';
import { NewSessionDialog, NoAgents } from './new-session.tsx';

const pageLength = 1_000;
/** Busy sessions change many times a second. The list is requested at most once in this time. */
const restMs = 1_000;

async function loadSessions(pages: number, signal: AbortSignal): Promise<Sessions> {
  const sessions: SessionSummary[] = [];
  const warnings: Sessions['warnings'] = [];
  for (let page = 0, after: number | undefined; ; page += 1) {
    const answer = await request<Sessions>('/v1/sessions', { query: { limit: pageLength, after }, signal });
    sessions.push(...answer.sessions);
    warnings.push(...answer.warnings);
    after = answer.next;
    if (after === undefined) return { sessions, warnings };
    if (page + 1 >= pages) return { sessions, warnings, next: after };
  }
}

/** The newest sessions. Events keep the list up to date. */
function useSessions(pages: number): Resource<Sessions> {
  const resource = useResource(`sessions ${pages}`, (signal) => loadSessions(pages, signal));
  const { refresh } = resource;
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isWanted = false;
    const rest = () => {
      timer = setTimeout(() => {
        timer = undefined;
        if (isWanted) ask();
      }, restMs);
    };
    const ask = () => {
      isWanted = false;
      refresh();
      rest();
    };
    const end = listen((event) => {
      if (event === 'reconnected' || event.type !== 'session-changed') return;
      if (timer === undefined) ask();
      else isWanted = true;
    });
    return () => {
      end();
      clearTimeout(timer);
    };
  }, [refresh]);
  return resource;
}

/** Whether the summary of a session contains the searched text. */
function matches({ id, agentId, firstMessage = '', currentModelId = '' }: SessionSummary, wanted: string): boolean {
  return [firstMessage, agentId, currentModelId, id].some((text) => text.toLowerCase().includes(wanted));
}

/** All sessions, newest first. `chosen` is the open one. */
export function SessionList({ chosen }: { chosen: string | undefined }) {
  const [pages, setPages] = useState(1);
  const [isMaking, setIsMaking] = useState(false);
  const sessions = useSessions(pages);
  const { value, isLoading } = sessions;
  const agents = useAgents();
  const { params } = route.value;
  const wanted = (params.get('q') ?? '').trim().toLowerCase();
  const agentId = params.get('agent') ?? undefined;
  const shown = useMemo(
    () =>
      value?.sessions.filter(
        (session) =>
          (agentId === undefined || session.agentId === agentId) && (wanted === '' || matches(session, wanted)),
      ) ?? [],
    [value, wanted, agentId],
  );
  const all = value?.sessions.length ?? 0;
  const agentIds = [
    ...new Set([
      ...(agents.value?.agents ?? []).map(({ id }) => id),
      ...(value?.sessions ?? []).map((each) => each.agentId),
    ]),
  ].sort();
  const hasNoAgents = agents.value?.agents.length === 0;
  return (
    <Panel
      class="sessions-list-panel"
      title="Sessions"
      note={value && `${shown.length === all ? '' : `${count(shown.length)} of `}${countOf(all, 'session')}`}
      isBusy={value === undefined && isLoading}
      actions={
        <Button icon={Plus} kind={chosen === undefined ? 'primary' : 'plain'} onClick={() => setIsMaking(true)}>
          New
        </Button>
      }
    >
      <SessionFilters agentIds={agentIds} agentId={agentId} />
      <ResourceState resource={sessions} rows={10} />
      <WarningList warnings={value?.warnings ?? []} />
      {value !== undefined && all === 0 && hasNoAgents && <NoAgents />}
      {value !== undefined && all === 0 && !hasNoAgents && (
        <EmptyState icon={MessagesSquare} title="No sessions yet">
          <p>Agent runtimes create sessions. You can create one with the button above, or with</p>
          <code>contextd sessions create {agents.value?.agents[0]?.id ?? '<agent>'}</code>
        </EmptyState>
      )}
      {all > 0 && shown.length === 0 && <EmptyState title="No session matches">Change the filter.</EmptyState>}
      {shown.length > 0 && (
        <VirtualList
          class="sessions-list"
          label="List of sessions"
          items={shown}
          keyOf={({ id }) => id}
          estimate={57}
          scrollTo={shown.findIndex(({ id }) => id === chosen)}
          render={(session) => <SessionRow session={session} isChosen={session.id === chosen} />}
        />
      )}
      {value?.next !== undefined && (
        <Button kind="quiet" onClick={() => setPages(pages + 1)}>
          Show {countOf(pageLength, 'older session')}
        </Button>
      )}
      {isMaking && (
        <NewSessionDialog parent={value?.sessions.find(({ id }) => id === chosen)} onClose={() => setIsMaking(false)} />
      )}
    </Panel>
  );
}

function SessionFilters({ agentIds, agentId }: { agentIds: readonly string[]; agentId: string | undefined }) {
  const { params } = route.value;
  return (
    <div class="sessions-filters" data-main-field>
      <Field label="Message, model or id">
        {(ids) => (
          <input
            {...ids}
            type="search"
            placeholder="Filter the list…"
            value={params.get('q') ?? ''}
            onInput={(event) => setParams({ q: event.currentTarget.value })}
          />
        )}
      </Field>
      <SelectField
        label="Agent"
        value={agentId ?? ''}
        options={[{ value: '', label: 'All' }, ...agentIds.map((id) => ({ value: id, label: id }))]}
        onChange={(agent) => setParams({ agent })}
      />
    </div>
  );
}

function SessionRow({ session, isChosen }: { session: SessionSummary; isChosen: boolean }) {
  const { id, agentId, firstMessage, messageCount, createdAt } = session;
  const { params } = route.value;
  const address = addressOf('sessions', {
    session: id,
    q: params.get('q') ?? undefined,
    agent: params.get('agent') ?? undefined,
  });
  return (
    <a class="sessions-row" href={address} aria-current={isChosen ? 'true' : undefined}>
      <span class="sessions-row-title">
        {firstMessage === undefined ? (
          <em>{messageCount === 0 ? 'No messages yet' : `Session ${id.slice(0, 8)}`}</em>
        ) : (
          <Name>{firstMessage}</Name>
        )}
      </span>
      <span class="sessions-row-about">
        <span class="sessions-row-agent">
          <Name>{agentId}</Name>
        </span>
        <span>{countOf(messageCount, 'message')}</span>
        <Ago time={createdAt} />
      </span>
    </a>
  );
}
