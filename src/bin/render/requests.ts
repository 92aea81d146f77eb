/** Pages about past requests and changes of a session. */
import type { RebuiltRequest, StoredReceipt } from '../../session/request.ts';
import type { SessionChange } from '../../session/session.ts';
import { compareText } from '../../texts/compare-text.ts';
import type { Reason, Warning } from '../../warnings.ts';
import { itemSections } from './agents.ts';
import { renderWarnings, type Sheet } from './page.ts';
import { renderOmitted, renderWorkspace, textOf, tokensOf } from './sessions.ts';
import { cutText, oneLine, padText, wrapText } from './terminal-text.ts';
import { itemName, minuteOf, plural } from './words.ts';

export function renderRequestList(
  { requests, warnings }: { requests: readonly StoredReceipt[]; warnings: readonly Warning[] },
  sheet: Sheet,
): string[] {
  const none = 'Nothing was asked yet. Ask with: contextd request <session> <message>';
  const lines = requests.map(({ requestId, createdAt, replySyncId, message }) => {
    const about = [minuteOf(createdAt), replySyncId === undefined ? 'no reply' : 'replied', oneLine(message)];
    return `${sheet.paint('bold', requestId)}  ${cutText(about.join(' · '), sheet.width - requestId.length - 2)}`;
  });
  return [...(lines.length === 0 ? [none] : lines), ...renderWarnings(warnings, sheet)];
}

const changeWords = {
  changed: 'changed since: it has another text or description now',
  missing: 'missing since: it is gone, excluded, or blocked by a policy',
} as const;

/** The context of one message: the items by kind, in the order of their priority at that time. */
export function renderRequestContext(request: RebuiltRequest, sheet: Sheet): string[] {
  const { message, createdAt, replySyncId, requestContext, messages, usage, changedItems } = request;
  const changed = new Map(changedItems.map((item) => [keyOf(item), changeWords[item.change]]));
  const rows = requestContext.items.map((item) => ({
    type: item.type,
    name: itemName(item),
    include: item.includeMode,
    priority: item.type === 'tool' ? undefined : item.priority,
    similarityScore: item.similarityScore,
    description: item.description ?? '',
    why: reasonWords(item),
    note: changed.get(keyOf(item)),
    origin: '',
  }));
  // Items whose priority was not recorded are last.
  rows.sort((a, b) => (a.priority ?? 1_000) - (b.priority ?? 1_000) || compareText(a.name, b.name));
  const about = [
    `asked ${minuteOf(createdAt)}`,
    replySyncId === undefined ? 'no reply yet' : 'replied',
    plural(rows.length, 'item'),
    plural(messages.length, 'message'),
    tokensOf(usage),
  ];
  return [
    sheet.paint('bold', cutText(oneLine(message), sheet.width)),
    ...wrapText(about.join(' · '), sheet.width),
    ...askedWords(request).flatMap((words) => wrapText(words, sheet.width)),
    ...itemSections(rows, sheet),
    ...renderWorkspace(requestContext, sheet),
    ...renderOmitted(request, sheet),
  ];
}

const broughtBy: Partial<Record<Reason['code'], string>> = {
  glob_matched: 'matched',
  mentioned: 'mentioned as',
  imported: 'imported by',
};

/** Why an item is in the context, if mode and score do not show this. */
function reasonWords({ reason, part }: RebuiltRequest['requestContext']['items'][number]): string | undefined {
  if (part !== undefined && reason?.detail !== undefined) return oneLine(reason.detail);
  const words = reason && broughtBy[reason.code];
  return words === undefined || reason?.detail === undefined ? undefined : oneLine(`${words} ${reason.detail}`);
}

function askedWords({
  files = [],
  documents = [],
  mentions = [],
  expand = [],
  search = {},
  toolSearch = {},
}: RebuiltRequest): string[] {
  const options = (given: object) => Object.entries(given).map(([name, value]) => `${name} ${value}`);
  const open = documents.map(({ path }) => path);
  const whole = expand === 'all' ? ['all'] : expand;
  const lists = {
    files,
    documents: open,
    mentions,
    whole,
    search: options(search),
    'search of tools': options(toolSearch),
  };
  return Object.entries(lists).flatMap(([name, list]) =>
    list.length === 0 ? [] : [oneLine(`${name} ${list.join(', ')}`)],
  );
}

/** A line for each change of a session. */
export function renderChanges(changes: readonly SessionChange[], sheet: Sheet): string[] {
  return changes.map((change) => {
    const head = `${String(change.syncId).padStart(5)}  ${minuteOf(change.at)}  `;
    const [what, text] = wordsOf(change);
    const role = sheet.paint(change.type === 'message' ? 'cyan' : 'dim', padText(what, 9));
    return `${sheet.paint('dim', head)}${role}  ${cutText(text, sheet.width - head.length - 11)}`.trimEnd();
  });
}

function wordsOf(change: SessionChange): [what: string, text: string] {
  switch (change.type) {
    case 'message':
      return [change.message.role, oneLine(textOf(change.message))];
    case 'created':
      return ['created', `with ${plural(change.contextItems.length, 'item')}`];
    case 'item_added':
      return ['added', `${change.item.type} ${itemName(change.item)}`];
    case 'item_removed':
      return ['removed', `${change.item.type} ${itemName(change.item)}`];
    case 'settings':
      return [
        'settings',
        Object.entries(change.settings)
          .map(([name, value]) => settingWords(name, value))
          .join(', '),
      ];
  }
}

function settingWords(name: string, value: unknown): string {
  if (value === null) return `${name} no longer set`;
  return oneLine(`${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`);
}

function keyOf({ type, name, serverName }: { type: string; name: string; serverName?: string | undefined }): string {
  return JSON.stringify([type, serverName ?? '', name]);
}
