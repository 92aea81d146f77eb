import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { OmittedPart, RebuiltRequest } from '../../../agent/request.ts';
import { request } from '../../api/request.ts';
import { useResource } from '../../api/resource.ts';
import { Badge } from '../../elements/badge.tsx';
import { Button } from '../../elements/button.tsx';
import { Dialog } from '../../elements/dialog.tsx';
import { Field } from '../../elements/fields.tsx';
import { Notice, ProblemNotice, Skeleton } from '../../elements/panel.tsx';
import { Ago, count, countOf, Name, PlainText } from '../../elements/text.tsx';
import { attempt, notify } from '../../elements/toasts.tsx';
import { TokenBar } from '../../elements/token-bar.tsx';
import { VirtualList } from '../../elements/virtual-list.tsx';
import { WarningList } from '../../elements/warnings.tsx';
import { type ColumnItem, ItemColumns, ModeBadge } from './item-columns.tsx';
import { keyOf } from './item-key.ts';

const changes = {
  changed: {
    word: 'Changed since',
    title: 'It has another text or description now. What was sent stands here.',
    tone: 'warn',
  },
  missing: {
    word: 'Gone since',
    title: 'The agent does not have it now: it is gone, excluded, or blocked by a policy. What was sent stands here.',
    tone: 'bad',
  },
} as const;

type SentItem = ColumnItem & { text: string };

/** What a model was given for one message, and why: the request as it was, whatever has become of its items. */
export function RequestDrawer({
  sessionId,
  requestId,
  onReply,
  onClose,
}: {
  sessionId: string;
  requestId: string;
  onReply: () => void;
  onClose: () => void;
}) {
  const path = `/v1/sessions/${encodeURIComponent(sessionId)}/requests/${encodeURIComponent(requestId)}`;
  const isReplied = useRef(false);
  const { value, problem, reload } = useResource(path, (signal) => request<RebuiltRequest>(path, { signal }), {
    events: ['context-changed', 'policy-changed', 'agent-changed', 'mcp-state-changed', 'session-changed'],
    // A session that goes on changes nothing of a past request but whether it has its reply.
    concerns: (event) => event.type !== 'session-changed' || (event.data.sessionId === sessionId && !isReplied.current),
  });
  isReplied.current = value?.replySyncId !== undefined;
  return (
    <Dialog title="Request context" shape="drawer" isWide onClose={onClose}>
      {problem !== undefined && <ProblemNotice problem={problem} onRetry={reload} />}
      {value === undefined && problem === undefined && <Skeleton rows={14} />}
      {value !== undefined && (
        <>
          <About value={value} />
          {value.replySyncId === undefined && (
            <ReplyForm
              path={path}
              onReply={() => {
                onReply();
                onClose();
              }}
            />
          )}
          <ItemColumns
            items={sentItems(value)}
            more={({ text }) =>
              text === '' ? null : (
                <Lazy summary="What was sent">
                  <PlainText text={text} class="sessions-sent" />
                </Lazy>
              )
            }
          />
          <Omitted parts={value.omitted} />
          <Sent value={value} />
        </>
      )}
    </Dialog>
  );
}

function About({ value }: { value: RebuiltRequest }) {
  const { message, createdAt, usage, semantic, warnings, changedItems } = value;
  return (
    <>
      <div class="sessions-asked">
        <p class="faint">
          Asked <Ago time={createdAt} />
        </p>
        <p class="sessions-asked-text" dir="auto">
          <Name>{message.slice(0, 400)}</Name>
          {message.length > 400 && '…'}
        </p>
      </div>
      <div class="sessions-usage">
        <TokenBar
          used={usage.tokens}
          {...(usage.maxTokens === undefined ? {} : { max: usage.maxTokens })}
          label={usage.estimated === true ? 'Tokens (estimated)' : 'Tokens'}
        />
        <p class="faint sessions-number">
          System prompt {count(usage.systemPrompt)} · history {count(usage.history)} · items {count(usage.items)} ·
          message {count(usage.message)}
        </p>
      </div>
      {semantic.status !== 'ready' && (
        <Notice>
          Search was {semantic.status}
          {semantic.detail !== undefined && (
            <>
              : <Name>{semantic.detail}</Name>
            </>
          )}
        </Notice>
      )}
      {semantic.status === 'ready' && (
        <p class="faint">
          Search: <Name>{semantic.engine === 'none' ? 'nothing to search' : semantic.engine}</Name>
        </p>
      )}
      {changedItems.length > 0 && (
        <Notice tone="info">
          {changedItems.length === 1 ? 'One item is' : `${count(changedItems.length)} items are`} not what{' '}
          {changedItems.length === 1 ? 'it was' : 'they were'} any more. Everything here is shown as it was sent.
        </Notice>
      )}
      <WarningList warnings={warnings} />
    </>
  );
}

/** Each item with the text that was sent of it: references and rules stand before the message, tools beside it. */
function sentItems({ requestContext, messages, tools, changedItems }: RebuiltRequest): SentItem[] {
  const { items } = requestContext;
  const changed = new Map(changedItems.map((item) => [keyOf(item), changes[item.change]]));
  const definitions = new Map(tools.map((tool) => [keyOf({ ...tool, type: 'tool' }), tool]));
  const rules = items.filter(({ type }) => type === 'rule').length;
  let rule = messages.length - 1 - rules;
  let reference = rule - items.filter(({ type }) => type === 'reference').length;
  return items.map((item) => {
    const key = keyOf(item);
    let text = '';
    if (item.type === 'tool') text = JSON.stringify(definitions.get(key)?.inputSchema ?? {}, undefined, 2);
    else if (item.type === 'rule') text = messages[rule++]?.content ?? '';
    else text = messages[reference++]?.content ?? '';
    return {
      ...item,
      priority: item.type === 'tool' ? undefined : item.priority,
      serverName: item.type === 'tool' ? item.serverName : undefined,
      note: changed.get(key),
      text,
    };
  });
}

function Omitted({ parts }: { parts: readonly OmittedPart[] }) {
  if (parts.length === 0) return null;
  return (
    <section aria-label="Left out" class="sessions-left-out">
      <h3>
        Left out <span class="sessions-number">{count(parts.length)}</span>
      </h3>
      <ul class="row-list">
        {parts.slice(0, mostOmitted).map((part, index) => (
          <li key={index} class="sessions-omitted">
            {part.type === 'history' ? (
              <span>{countOf(part.messages, 'earlier message')}</span>
            ) : (
              <span class="cluster">
                <span class="sessions-item-name">
                  {part.serverName !== undefined && (
                    <span class="sessions-server">
                      <Name>{part.serverName}</Name>.
                    </span>
                  )}
                  <Name>{part.name}</Name>
                </span>
                <span class="faint">{part.type}</span>
                <ModeBadge mode={part.includeMode} />
                {part.similarityScore !== undefined && <Badge tone="warn">{part.similarityScore.toFixed(2)}</Badge>}
              </span>
            )}
            <span class="sessions-omitted-reason">
              <Name>{part.reason.detail ?? part.reason.code}</Name> <code class="faint">{part.reason.code}</code>
              {part.tokens > 0 && <span class="sessions-tokens">{countOf(part.tokens, 'token')}</span>}
            </span>
          </li>
        ))}
      </ul>
      {parts.length > mostOmitted && <p class="faint">{count(parts.length - mostOmitted)} more</p>}
    </section>
  );
}

const mostOmitted = 200;

/** Messages and tools as the model was sent them; there can be thousands. */
function Sent({ value }: { value: RebuiltRequest }) {
  const { messages, tools } = value;
  return (
    <>
      <Lazy summary={`Messages as they were sent (${count(messages.length)})`}>
        <VirtualList
          class="sessions-sent-messages"
          label="Messages as they were sent"
          items={messages}
          keyOf={(_, index) => index}
          estimate={90}
          render={({ role, content }) => (
            <div class="sessions-message">
              <Badge tone={role === 'assistant' ? 'accent' : role === 'system' ? 'good' : 'neutral'}>{role}</Badge>
              <PlainText text={content.slice(0, mostCharacters)} />
              {content.length > mostCharacters && (
                <p class="faint">{countOf(content.length - mostCharacters, 'more character')}</p>
              )}
            </div>
          )}
        />
      </Lazy>
      {tools.length > 0 && (
        <Lazy summary={`Tools as they were sent (${count(tools.length)})`}>
          <PlainText text={JSON.stringify(tools, undefined, 2)} class="sessions-sent" />
        </Lazy>
      )}
    </>
  );
}

const mostCharacters = 20_000;

/** Opens on demand; nothing of it is in the page before. */
function Lazy({ summary, children }: { summary: string; children: ComponentChildren }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details class="sessions-details" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen && children}
    </details>
  );
}

/** In place of a model: whoever looks at the flow answers. */
function ReplyForm({ path, onReply }: { path: string; onReply: () => void }) {
  const [text, setText] = useState('');
  const [isBusy, setIsBusy] = useState(false);
  const send = async () => {
    setIsBusy(true);
    const isDone = await attempt(() => request(`${path}/reply`, { body: { modelReply: text } }));
    setIsBusy(false);
    if (!isDone) return;
    notify('The reply is part of the session.');
    onReply();
  };
  return (
    <form
      class="sessions-reply"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <Field
        label="Reply in place of the model"
        hint="No reply was reported yet. A runtime would call its model with this request and report what it answers; here no model is called."
      >
        {(ids) => (
          <textarea
            {...ids}
            class="wide"
            rows={2}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        )}
      </Field>
      <Button type="submit" disabled={isBusy || text.trim() === ''}>
        Report the reply
      </Button>
    </form>
  );
}
