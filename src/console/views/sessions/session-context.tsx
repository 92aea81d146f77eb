import { X } from 'lucide';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { AgentItems } from '../../../../routes/agents.ts';
import type { AgentItem, ContextItemRef, SessionContextItem } from '../../../agent/item.ts';
import type { SessionSummary } from '../../../session/session.ts';
import { visibleText } from '../../../texts/visible-text.ts';
import { request } from '../../api/request.ts';
import type { Resource } from '../../api/resource.ts';
import { IconButton } from '../../elements/button.tsx';
import { Confirm } from '../../elements/dialog.tsx';
import { Notice, Panel, ProblemNotice } from '../../elements/panel.tsx';
import { SuggestingInput } from '../../elements/suggesting-input.tsx';
import { count, countOf, Name } from '../../elements/text.tsx';
import { attempt, notify } from '../../elements/toasts.tsx';
import { type ColumnItem, ItemColumns, ItemName, ModeBadge } from './item-columns.tsx';
import { keyOf, matchingItems, priorityDigits, refOf } from './item-key.ts';

const missingTitle =
  'The agent does not have it now: it is gone, excluded, or blocked by a policy. Requests leave it out.';
const maxSuggestions = 50;

type ShownItem = ColumnItem & { isMissing: boolean };

type SessionContextProps = {
  summary: SessionSummary;
  items: readonly SessionContextItem[];
  agentItems: Resource<AgentItems>;
  onChange: () => void;
};

/** The items of the session in three columns, with controls to add and remove them. */
export function SessionContext({ summary, items, agentItems, onChange }: SessionContextProps) {
  const [asked, setAsked] = useState<ShownItem>();
  const path = `/v1/sessions/${summary.id}/context-items`;
  const known = useMemo(
    () => new Map((agentItems.value?.items ?? []).map((item) => [keyOf(item), item])),
    [agentItems.value],
  );
  const hasNoAgent = agentItems.problem?.code === 'not_found';
  const shown = items.map((item) => shownItem(item, { known, isRead: agentItems.value !== undefined, hasNoAgent }));
  const missing = shown.filter(({ isMissing }) => isMissing).length;

  const add = (item: ContextItemRef) =>
    attempt(async () => {
      await request(path, { body: item });
      onChange();
    });
  const remove = (item: ShownItem) =>
    attempt(async () => {
      await request(path, { method: 'DELETE', body: refOf(item) });
      onChange();
      const name = `“${visibleText(item.name)}” is removed.`;
      if (item.isMissing) notify(name);
      else
        notify(item.includeMode === 'always' ? `${name} If you undo this, its mode is manual.` : name, async () => {
          await request(path, { body: refOf(item) });
          onChange();
        });
    });

  return (
    <Panel
      title="Session context"
      note={
        <>
          {countOf(items.length, 'item')}
          {missing > 0 && `, ${count(missing)} missing`}
        </>
      }
      isBusy={agentItems.isStale}
    >
      <div class="sessions-context">
        {!hasNoAgent && (agentItems.value !== undefined || agentItems.problem === undefined) && (
          <AddItem held={new Set(items.map(keyOf))} items={agentItems.value?.items} onAdd={(item) => void add(item)} />
        )}
        {hasNoAgent && <NoAgent agentId={summary.agentId} />}
        {agentItems.problem !== undefined && !hasNoAgent && (
          <ProblemNotice problem={agentItems.problem} onRetry={agentItems.reload} />
        )}
        {missing > 0 && !hasNoAgent && <MissingItems missing={missing} />}
        <ItemColumns
          items={shown}
          action={(item) => (
            <IconButton
              icon={X}
              label={`Remove ${visibleText(item.name)}`}
              // A missing item cannot be added again, so its removal needs a confirmation.
              onClick={() => (item.isMissing ? setAsked(item) : void remove(item))}
            />
          )}
        />
      </div>
      {asked !== undefined && (
        <ConfirmRemoval item={asked} onConfirm={() => void remove(asked)} onClose={() => setAsked(undefined)} />
      )}
    </Panel>
  );
}

function shownItem(
  item: SessionContextItem,
  { known, isRead, hasNoAgent }: { known: ReadonlyMap<string, AgentItem>; isRead: boolean; hasNoAgent: boolean },
): ShownItem {
  const now = known.get(keyOf(item));
  const isMissing = hasNoAgent || (isRead ? now === undefined : item.missing === true);
  return {
    ...item,
    serverName: item.type === 'tool' ? item.serverName : undefined,
    priority: now?.priority,
    description: now?.description,
    isMissing,
    note: isMissing ? { word: 'Missing', title: missingTitle, tone: 'bad' } : undefined,
  };
}

function NoAgent({ agentId }: { agentId: string }) {
  return (
    <Notice>
      The agent <Name>{agentId}</Name> no longer exists, so its items are missing and no request can be built. Create it
      again (<code>contextd agents put</code>), or begin another session.
    </Notice>
  );
}

function MissingItems({ missing }: { missing: number }) {
  return (
    <Notice>
      {missing === 1 ? 'One item is' : `${count(missing)} items are`} missing: gone, excluded, blocked by a policy, or
      from a server that is not connected. Requests leave {missing === 1 ? 'it' : 'them'} out.
    </Notice>
  );
}

type ConfirmRemovalProps = { item: ShownItem; onConfirm: () => void; onClose: () => void };

function ConfirmRemoval({ item, ...deeds }: ConfirmRemovalProps) {
  return (
    <Confirm title="Remove a missing item?" deed="Remove it" {...deeds}>
      <p>
        The agent does not have <Name>{item.name}</Name> now, so you cannot add it again until it is back.
      </p>
    </Confirm>
  );
}

type AddItemProps = {
  held: ReadonlySet<string>;
  /** Undefined while the items are being loaded. */
  items: readonly AgentItem[] | undefined;
  onAdd: (item: ContextItemRef) => void;
};

function AddItem({ held, items, onAdd }: AddItemProps) {
  const [text, setText] = useState('');
  const [error, setError] = useState<string>();
  useEffect(() => setError(undefined), [items]);
  const matching = useMemo(
    () => matchingItems(items ?? [], text).filter((item) => !held.has(keyOf(item))),
    [items, text, held],
  );
  const commit = (value: string) => {
    if (value.trim() === '') return;
    if (items === undefined) return setError('The items of the agent are still being read.');
    const item =
      items.find((each) => keyOf(each) === value) ?? matching.find((each) => each.name === value) ?? matching[0];
    if (item === undefined) return setError('The agent has no item of this name.');
    setText('');
    setError(undefined);
    onAdd(refOf(item));
  };
  return (
    <SuggestingInput
      label="Add a rule, reference or tool"
      placeholder="Name, server or description"
      hint="From then on it is part of every request, whatever its mode."
      value={text}
      takesFirst={text.trim() !== ''}
      onInput={(typed) => {
        setText(typed);
        setError(undefined);
      }}
      onCommit={commit}
      suggestions={useMemo(() => matching.slice(0, maxSuggestions).map(suggestionOf), [matching])}
      isBusy={items === undefined}
      note={items === undefined ? 'Reading the items of the agent …' : noteOf(items.length, matching.length, held.size)}
      error={error}
    />
  );
}

export function suggestionOf(item: AgentItem) {
  return {
    value: keyOf(item),
    label: (
      <span class="cluster">
        <span class="sessions-priority">{item.priority === undefined ? '' : priorityDigits(item.priority)}</span>
        <span>
          <ItemName name={item.name} serverName={item.serverName} />
        </span>
        <ModeBadge mode={item.include} />
      </span>
    ),
    detail: (
      <>
        {item.type}
        {item.description !== '' && (
          <>
            {' · '}
            <Name>{item.description.slice(0, 200)}</Name>
          </>
        )}
      </>
    ),
  };
}

function noteOf(all: number, matching: number, held: number): string | undefined {
  if (all === 0) return 'The agent has no items.';
  if (matching === 0) return held >= all ? 'The session holds all items of the agent.' : 'No other item matches.';
  if (matching > maxSuggestions) return `${count(matching - maxSuggestions)} more; type to find them.`;
  return undefined;
}
