import { Eye, MessageSquare } from 'lucide';
import { useCallback, useMemo, useState } from 'preact/hooks';
import { useResource } from '../../api/resource.ts';
import { Badge, type Tone } from '../../elements/badge.tsx';
import { Button } from '../../elements/button.tsx';
import { Dialog } from '../../elements/dialog.tsx';
import { EmptyState, Skeleton } from '../../elements/panel.tsx';
import { ResourceState } from '../../elements/resource-state.tsx';
import { Ago, count, countOf, Name, PlainText } from '../../elements/text.tsx';
import { VirtualList } from '../../elements/virtual-list.tsx';
import { setParams } from '../../route.ts';
import { type LogEntry, loadMessage, type MessageEntry, type SessionLog, textOfMessage } from './session-log.ts';

const roles: Record<MessageEntry['role'], { word: string; tone: Tone }> = {
  user: { word: 'User', tone: 'neutral' },
  assistant: { word: 'Assistant', tone: 'accent' },
  tool: { word: 'Tool', tone: 'neutral' },
  system: { word: 'System', tone: 'good' },
  error: { word: 'Error', tone: 'bad' },
  approval: { word: 'Approval', tone: 'warn' },
};

type TimelineProps = {
  sessionId: string;
  log: SessionLog;
  ensure: (first: number, last: number) => void;
};

/** Everything that happened, oldest first. It opens at the end, and loads rows when they become visible. */
export function Timeline({ sessionId, log, ensure }: TimelineProps) {
  const [whole, setWhole] = useState<number>();
  const { lastSyncId } = log.summary;
  const numbers = useMemo(() => Array.from({ length: lastSyncId }, (_, index) => index + 1), [lastSyncId]);
  const onRange = useCallback(
    (first: number, last: number) => ensure(first + 1, last + 1),
    // With a new log, entries that were dropped are requested again if they are visible.
    [ensure, log],
  );
  if (log.summary.messageCount === 0 && lastSyncId === 1)
    return (
      <EmptyState icon={MessageSquare} title="This session has no messages yet">
        Messages of the runtime appear here. Below you can try what a model would get.
      </EmptyState>
    );
  return (
    <>
      <VirtualList
        class="sessions-timeline"
        label="Messages and changes, oldest first"
        items={numbers}
        keyOf={(syncId) => syncId}
        estimate={84}
        followsEnd
        onRange={onRange}
        render={(syncId) => <Row entry={log.entries.get(syncId)} log={log} onWhole={setWhole} />}
      />
      {whole !== undefined && <WholeMessage sessionId={sessionId} syncId={whole} onClose={() => setWhole(undefined)} />}
    </>
  );
}

type RowProps = {
  entry: LogEntry | undefined;
  log: SessionLog;
  onWhole: (syncId: number) => void;
};

function Row({ entry, log, onWhole }: RowProps) {
  if (entry === undefined)
    return (
      <div class="sessions-message">
        <Skeleton rows={2} />
      </div>
    );
  if (entry.type === 'message') return <Message entry={entry} log={log} onWhole={onWhole} />;
  return (
    <p class="sessions-change">
      {entry.type === 'lost' ? <Badge tone="bad">Damaged</Badge> : <Ago time={entry.at} />}{' '}
      <ChangeWords entry={entry} />
    </p>
  );
}

function ChangeWords({ entry }: { entry: Exclude<LogEntry, MessageEntry> }) {
  if (entry.type === 'created') return <>The session began.</>;
  if (entry.type === 'lost') return <>This stored entry does not match its checksum, so it is not shown.</>;
  if (entry.type === 'settings')
    return (
      <>
        Settings:{' '}
        {Object.entries(entry.settings).map(([name, value], index) => (
          <span key={name}>
            {index > 0 && ', '}
            {name} <Name>{shownSetting(value)}</Name>
          </span>
        ))}
      </>
    );
  const { item, type } = entry;
  return (
    <>
      {type === 'item_added' ? 'Added' : 'Removed'} the {item.type}{' '}
      <strong>
        {item.type === 'tool' && (
          <>
            <Name>{item.serverName}</Name>/
          </>
        )}
        <Name>{item.name}</Name>
      </strong>
    </>
  );
}

function shownSetting(value: unknown): string {
  if (value === null) return 'removed';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function Message({ entry, log, onWhole }: { entry: MessageEntry; log: SessionLog; onWhole: (syncId: number) => void }) {
  const { role, at, text, length, isJson, requestId, contextItems, syncId } = entry;
  const { word, tone } = roles[role];
  const waits = role === 'user' && requestId !== undefined && !log.replied.has(requestId);
  const isShown = waits || (role === 'assistant' && (requestId !== undefined || contextItems !== undefined));
  const view = () => setParams(requestId === undefined ? { message: String(syncId) } : { request: requestId }, 'push');
  return (
    <article class={`sessions-message sessions-message-${role}`} aria-label={`${word}, number ${syncId}`}>
      <header class="cluster">
        <Badge tone={tone}>{word}</Badge>
        <span class="faint">
          <Ago time={at} />
        </span>
        {waits && <Badge tone="warn">No reply yet</Badge>}
        {isShown && (
          <Button kind="quiet" icon={Eye} class="sessions-view-context" onClick={view}>
            View context{contextItems === undefined ? '' : ` (${count(contextItems)})`}
          </Button>
        )}
      </header>
      {text === '' ? <p class="faint">Empty</p> : <PlainText text={text} class={isJson ? '' : 'sessions-prose'} />}
      {length > text.length && (
        <Button kind="quiet" onClick={() => onWhole(syncId)}>
          {`Show all ${countOf(length, 'character')}`}
        </Button>
      )}
    </article>
  );
}

/** The whole text of a message that is too long for the list. */
function WholeMessage({ sessionId, syncId, onClose }: { sessionId: string; syncId: number; onClose: () => void }) {
  const message = useResource(`message ${sessionId} ${syncId}`, (signal) => loadMessage(sessionId, syncId, signal));
  const { value } = message;
  return (
    <Dialog
      title={value === undefined ? 'Message' : `${roles[value.role].word}, number ${syncId}`}
      shape="drawer"
      isWide
      onClose={onClose}
    >
      <ResourceState resource={message} rows={12} />
      {value !== undefined && <PlainText text={textOfMessage(value).text} />}
    </Dialog>
  );
}
