import { useRef } from 'preact/hooks';
import { shownContent } from '../../../session/reply-text.ts';
import type { RebuiltRequest } from '../../../session/request.ts';
import type { Reason } from '../../../warnings.ts';
import { request } from '../../api/request.ts';
import { useResource } from '../../api/resource.ts';
import { Dialog } from '../../elements/dialog.tsx';
import { Notice } from '../../elements/panel.tsx';
import { ResourceState } from '../../elements/resource-state.tsx';
import { Ago, count, Name, PlainText, semanticWords } from '../../elements/text.tsx';
import { TokenBar } from '../../elements/token-bar.tsx';
import { FoldedWarnings } from '../../elements/warnings.tsx';
import { type ColumnItem, ItemColumns } from './item-columns.tsx';
import { keyOf } from './item-key.ts';
import { ReplyForm } from './reply-form.tsx';
import { Lazy, Omitted, Sent, Workspace } from './request-parts.tsx';

const changes = {
  changed: {
    word: 'Changed since',
    title: 'Its text or description is different now. This shows what was sent.',
    tone: 'warn',
  },
  missing: {
    word: 'Gone since',
    title: 'The agent does not have it now: it is gone, excluded, or blocked by a policy. This shows what was sent.',
    tone: 'bad',
  },
} as const;

type SentItem = ColumnItem & { text: string; reason?: Reason | undefined };

type RequestDrawerProps = {
  sessionId: string;
  requestId: string;
  onReply: () => void;
  onClose: () => void;
};

/** What a model got for one message, and why. It shows the request as it was, even if its items have changed since. */
export function RequestDrawer({ sessionId, requestId, onReply, onClose }: RequestDrawerProps) {
  const path = `/v1/sessions/${encodeURIComponent(sessionId)}/requests/${encodeURIComponent(requestId)}`;
  const isReplied = useRef(false);
  const rebuilt = useResource(path, (signal) => request<RebuiltRequest>(path, { signal }), {
    events: ['context-changed', 'policy-changed', 'agent-changed', 'mcp-state-changed', 'session-changed'],
    // When the session goes on, a past request can only gain its reply.
    concerns: (event) => event.type !== 'session-changed' || (event.data.sessionId === sessionId && !isReplied.current),
  });
  const { value } = rebuilt;
  isReplied.current = value?.replySyncId !== undefined;
  return (
    <Dialog title="Request context" shape="drawer" isWide onClose={onClose}>
      <ResourceState resource={rebuilt} rows={14} />
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
            more={({ text, reason }) => (
              <>
                {reason !== undefined && (
                  <p class="faint">
                    <Name>{reason.detail ?? reason.code}</Name> <code>{reason.code}</code>
                  </p>
                )}
                {text !== '' && (
                  <Lazy summary="What was sent">
                    <PlainText text={text} />
                  </Lazy>
                )}
              </>
            )}
          />
          <Workspace context={value.requestContext.context} />
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
      <div>
        <p class="faint">
          Asked <Ago time={createdAt} />
        </p>
        <p class="sessions-asked-text" dir="auto">
          <Name>{message.slice(0, 400)}</Name>
          {message.length > 400 && '…'}
        </p>
      </div>
      {(
        [
          ['Files', value.files],
          ['Documents', value.documents?.map(({ path }) => path)],
          ['Mentions', value.mentions],
          ['Whole', value.expand === 'all' ? ['all'] : value.expand],
        ] as const
      ).map(
        ([word, names = []]) =>
          names.length > 0 && (
            <p class="faint" key={word}>
              {word}: <Name>{names.slice(0, 20).join(', ')}</Name>
              {names.length > 20 && ` and ${count(names.length - 20)} more`}
            </p>
          ),
      )}
      <div class="sessions-usage">
        <TokenBar
          used={usage.tokens}
          max={usage.maxTokens}
          label={usage.estimated === true ? 'Tokens (estimated)' : 'Tokens'}
        />
        <p class="faint sessions-number">
          System prompt {count(usage.systemPrompt)} · history {count(usage.history)} · items {count(usage.items)} ·
          message {count(usage.message)}
          {usage.context !== undefined && ` · workspace ${count(usage.context)}`}
        </p>
      </div>
      {semantic.status !== 'ready' && (
        <Notice>
          {semanticWords[semantic.status]}. {semantic.detail !== undefined && <Name>{semantic.detail}</Name>}
        </Notice>
      )}
      {semantic.status === 'ready' && (
        <p class="faint">
          Search: <Name>{semantic.engine === 'none' ? 'nothing to search' : semantic.engine}</Name>
        </p>
      )}
      {changedItems.length > 0 && (
        <Notice tone="info">
          {changedItems.length === 1 ? 'One item has' : `${count(changedItems.length)} items have`} changed since.
          Everything here is shown as it was sent.
        </Notice>
      )}
      <FoldedWarnings warnings={warnings} />
    </>
  );
}

/** Each item with its text in the request. References and rules come before the message; tools are separate. */
function sentItems({ requestContext, messages, tools, changedItems }: RebuiltRequest): SentItem[] {
  const { items, context = [] } = requestContext;
  const changed = new Map(changedItems.map((item) => [keyOf(item), changes[item.change]]));
  const definitions = new Map(tools.map((tool) => [keyOf({ ...tool, type: 'tool' }), tool]));
  const rules = items.filter(({ type }) => type === 'rule').length;
  // The workspace context is one message between the rules and the user's message.
  let rule = messages.length - 1 - Math.min(context.length, 1) - rules;
  let reference = rule - items.filter(({ type }) => type === 'reference').length;
  return items.map((item) => {
    const key = keyOf(item);
    let text = '';
    if (item.type === 'tool') text = JSON.stringify(definitions.get(key)?.inputSchema ?? {}, undefined, 2);
    else if (item.type === 'rule') text = shownContent(messages[rule++]?.content).text;
    else text = shownContent(messages[reference++]?.content).text;
    return {
      ...item,
      priority: item.type === 'tool' ? undefined : item.priority,
      serverName: item.type === 'tool' ? item.serverName : undefined,
      note: changed.get(key),
      text,
    };
  });
}
