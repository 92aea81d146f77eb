import type { ComponentChildren } from 'preact';
import type { AgentItem } from '../../../agent/item.ts';
import { Badge, type Tone } from '../../elements/badge.tsx';
import { count, Name } from '../../elements/text.tsx';
import { VirtualList } from '../../elements/virtual-list.tsx';
import { compareItems, keyOf, priorityDigits } from './item-key.ts';

export type ColumnItem = {
  type: 'rule' | 'reference' | 'tool';
  name: string;
  serverName?: string | undefined;
  includeMode: AgentItem['include'];
  similarityScore?: number | undefined;
  priority?: number | undefined;
  description?: string | undefined;
  tokens?: number | undefined;
  /** A remark about the item's present state. */
  note?: { word: string; title: string; tone: Tone } | undefined;
};

const modes: Record<AgentItem['include'], { tone: Tone; sign: string; word: string; title: string }> = {
  always: { tone: 'accent', sign: '●', word: 'Always', title: 'Part of the session from its start' },
  auto: { tone: 'good', sign: '◐', word: 'Auto', title: 'Its globs match a file in play' },
  manual: { tone: 'neutral', sign: '○', word: 'Manual', title: 'Somebody added or mentioned it' },
  agent: { tone: 'warn', sign: '◇', word: 'Agent', title: 'Search found it relevant to the message' },
};

export function ModeBadge({ mode }: { mode: AgentItem['include'] }) {
  const { tone, sign, word, title } = modes[mode];
  return (
    <Badge tone={tone} title={title}>
      <span aria-hidden="true">{sign}</span>
      {word}
    </Badge>
  );
}

/** The name of an item, a tool's with its server before it. */
export function ItemName({ name, serverName }: Pick<ColumnItem, 'name' | 'serverName'>) {
  return (
    <>
      {serverName !== undefined && (
        <span class="sessions-server">
          <Name>{serverName}</Name>/
        </span>
      )}
      <Name>{name}</Name>
    </>
  );
}

const columns = [
  { type: 'rule', title: 'Rules', none: 'No rules' },
  { type: 'reference', title: 'References', none: 'No references' },
  { type: 'tool', title: 'Tools', none: 'No tools' },
] as const;

/** The maximum number of rows rendered at once. A longer column scrolls in its own box. */
const maxRows = 60;

type ItemColumnsProps<Item extends ColumnItem> = {
  items: readonly Item[];
  /** The button at the end of a row. */
  action?: (item: Item) => ComponentChildren;
  /** Content below a row. */
  more?: (item: Item) => ComponentChildren;
};

/** Items in three columns. Rules and references are sorted by priority, tools by server. */
export function ItemColumns<Item extends ColumnItem>({ items, action, more }: ItemColumnsProps<Item>) {
  return (
    <div class="sessions-columns">
      {columns.map(({ type, title, none }) => {
        const own = items.filter((item) => item.type === type).sort(compareItems);
        const row = (item: Item) => <ItemRow item={item} action={action?.(item)} more={more?.(item)} />;
        return (
          <section key={type} aria-label={title} class="sessions-column">
            <h3>
              {title} <span class="sessions-number">{count(own.length)}</span>
            </h3>
            {own.length === 0 && <p class="faint">{none}</p>}
            {own.length > 0 && own.length <= maxRows && (
              <ul class="row-list">
                {own.map((item) => (
                  <li key={keyOf(item)}>{row(item)}</li>
                ))}
              </ul>
            )}
            {own.length > maxRows && (
              <VirtualList
                class="sessions-long-column"
                label={`${title}, ${own.length}`}
                items={own}
                keyOf={keyOf}
                estimate={52}
                render={row}
              />
            )}
          </section>
        );
      })}
    </div>
  );
}

function ItemRow({ item, action, more }: { item: ColumnItem; action: ComponentChildren; more: ComponentChildren }) {
  const { priority, serverName, name, includeMode, similarityScore, tokens, description, note } = item;
  return (
    <div class="sessions-item">
      <div class="sessions-item-line">
        {priority !== undefined && (
          <span class="sessions-priority" title="Priority: a lower number comes first">
            {priorityDigits(priority)}
          </span>
        )}
        <span class="sessions-item-name" title={description}>
          <ItemName name={name} serverName={serverName} />
        </span>
        {action}
      </div>
      <div class="cluster sessions-item-badges">
        <ModeBadge mode={includeMode} />
        {similarityScore !== undefined && (
          <Badge tone="warn" title="Similarity to the message, from 0 to 1">
            {similarityScore.toFixed(2)}
          </Badge>
        )}
        {note !== undefined && (
          <Badge tone={note.tone} title={note.title}>
            {note.word}
          </Badge>
        )}
        {tokens !== undefined && <span class="sessions-tokens">{count(tokens)} tokens</span>}
      </div>
      {description !== undefined && description !== '' && (
        <p class="sessions-description">
          <Name>{description}</Name>
        </p>
      )}
      {more}
    </div>
  );
}
