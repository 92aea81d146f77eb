import { ArrowLeft, Settings2, Trash2 } from 'lucide';
import { useState } from 'preact/hooks';
import type { SessionSummary } from '../../../session/session.ts';
import { request } from '../../api/request.ts';
import { Badge } from '../../elements/badge.tsx';
import { Button } from '../../elements/button.tsx';
import { CopyButton } from '../../elements/copy-button.tsx';
import { Confirm } from '../../elements/dialog.tsx';
import { Fact } from '../../elements/fact.tsx';
import { Icon } from '../../elements/icon.tsx';
import { EmptyState, Notice, Panel, ProblemNotice, Skeleton } from '../../elements/panel.tsx';
import { Ago, count, countOf, Name } from '../../elements/text.tsx';
import { attempt, notify } from '../../elements/toasts.tsx';
import { WarningsPanel } from '../../elements/warnings-panel.tsx';
import { addressOf, route, setParams } from '../../route.ts';
import { ReportedContextDrawer } from './reported-context-drawer.tsx';
import { RequestDrawer } from './request-drawer.tsx';
import { SessionContext } from './session-context.tsx';
import { SettingsDialog } from './settings-dialog.tsx';
import { Timeline } from './timeline.tsx';
import { TryRequest } from './try-request.tsx';
import { useAgentItems } from './use-agent-items.ts';
import { useSession } from './use-session.ts';

/** One session: its items, its messages, and the request its model would get. */
export function OpenSession({ sessionId }: { sessionId: string }) {
  const session = useSession(sessionId);
  const { log, problem, refresh, ensure } = session;
  const agentItems = useAgentItems(log?.summary.agentId);
  const { params } = route.value;
  const requestId = params.get('request') ?? undefined;
  const messageId = Number(params.get('message') ?? 0);
  const isGone = problem?.code === 'not_found';
  if (log === undefined)
    return (
      <Panel title="Session" class="sessions-nothing" isBusy={problem === undefined} actions={<BackLink />}>
        {isGone && <Gone />}
        {problem !== undefined && !isGone && <ProblemNotice problem={problem} onRetry={refresh} />}
        {problem === undefined && <Skeleton rows={14} />}
      </Panel>
    );
  const { summary, items, warnings } = log;
  const told = agentItems.value?.warnings ?? warnings;
  return (
    <div class="sessions-open">
      <BackLink />
      <SessionHead summary={summary} />
      {isGone && <Notice>This session was deleted. This page shows its last known state.</Notice>}
      {problem !== undefined && !isGone && <ProblemNotice problem={problem} onRetry={refresh} />}
      <div class="sessions-open-parts">
        <Panel title="Messages" note={countOf(summary.messageCount, 'message')} class="sessions-messages-panel">
          <Timeline sessionId={sessionId} log={log} ensure={ensure} />
        </Panel>
        <div class="stack sessions-context-part">
          <SessionContext summary={summary} items={items} agentItems={agentItems} onChange={refresh} />
          {told.length > 0 && <WarningsPanel warnings={told} />}
        </div>
        <TryRequest summary={summary} agentItems={agentItems.value?.items ?? []} onSent={refresh} />
      </div>
      {requestId !== undefined && (
        <RequestDrawer
          sessionId={sessionId}
          requestId={requestId}
          onReply={refresh}
          onClose={() => setParams({ request: undefined })}
        />
      )}
      {messageId > 1 && (
        <ReportedContextDrawer
          sessionId={sessionId}
          syncId={messageId}
          onClose={() => setParams({ message: undefined })}
        />
      )}
    </div>
  );
}

const nothingOpen = { session: undefined, request: undefined, message: undefined };

function BackLink() {
  const { params } = route.value;
  const address = addressOf('sessions', { q: params.get('q') ?? undefined, agent: params.get('agent') ?? undefined });
  return (
    <a class="sessions-back" href={address}>
      <Icon icon={ArrowLeft} />
      All sessions
    </a>
  );
}

function Gone() {
  return (
    <EmptyState
      title="There is no such session"
      action={<Button onClick={() => setParams(nothingOpen)}>To all sessions</Button>}
    >
      It was deleted, or the address is wrong.
    </EmptyState>
  );
}

const permissionWords = {
  always: 'asked before each call',
  never: 'never asked',
  tool: 'as set for each tool',
} as const;

function SessionHead({ summary }: { summary: SessionSummary }) {
  const [opened, setOpened] = useState<'settings' | 'delete'>();
  const { id, firstMessage, messageCount } = summary;
  const remove = async () => {
    const isDone = await attempt(() => request(`/v1/sessions/${id}`, { method: 'DELETE' }));
    if (!isDone) return;
    notify('The session is deleted.');
    setParams(nothingOpen);
  };
  return (
    <Panel
      class="sessions-head"
      title={firstMessage === undefined ? `Session ${id.slice(0, 8)}` : <Name>{firstMessage}</Name>}
      actions={
        <>
          <Button icon={Settings2} onClick={() => setOpened('settings')}>
            Settings
          </Button>
          <Button icon={Trash2} kind="danger" onClick={() => setOpened('delete')}>
            Delete
          </Button>
        </>
      }
    >
      <Facts summary={summary} />
      {opened === 'settings' && <SettingsDialog summary={summary} onClose={() => setOpened(undefined)} />}
      {opened === 'delete' && (
        <Confirm
          title="Delete this session?"
          deed="Delete the session"
          onConfirm={() => void remove()}
          onClose={() => setOpened(undefined)}
        >
          <p>
            Its {countOf(messageCount, 'message')} and the record of what its model was given are permanently removed.
            The usage counts of its items are kept.
          </p>
        </Confirm>
      )}
    </Panel>
  );
}

function Facts({ summary }: { summary: SessionSummary }) {
  const { id, agentId, createdAt, parentSessionId, toolPermission } = summary;
  const { currentModelProvider, currentModelId, temperature, topP, maxOutputTokens, maxChatTurns } = summary;
  const model = [currentModelProvider, currentModelId].filter((part) => part !== undefined).join(' ');
  return (
    <dl class="sessions-facts">
      <Fact name="Agent">
        <Name>{agentId}</Name>
      </Fact>
      <Fact name="Begun">
        <Ago time={createdAt} />
      </Fact>
      <Fact name="Model">{model === '' ? <span class="faint">not reported</span> : <Name>{model}</Name>}</Fact>
      <Fact name="Temperature">{temperature}</Fact>
      <Fact name="Top-p">{topP}</Fact>
      <Fact name="Output">{countOf(maxOutputTokens, 'token')}</Fact>
      <Fact name="Turns">{count(maxChatTurns)}</Fact>
      <Fact name="Tools">
        {toolPermission === 'never' ? (
          <Badge tone="warn">{permissionWords.never}</Badge>
        ) : (
          permissionWords[toolPermission]
        )}
      </Fact>
      {parentSessionId !== undefined && (
        <Fact name="Parent">
          <a class="mono" href={addressOf('sessions', { session: parentSessionId })}>
            {parentSessionId.slice(0, 8)}
          </a>
        </Fact>
      )}
      <Fact name="Id">
        <code>{id.slice(0, 8)}…</code> <CopyButton text={id} label="Copy the id of the session" />
      </Fact>
    </dl>
  );
}
