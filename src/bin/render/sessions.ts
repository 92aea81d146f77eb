/** Pages about sessions and their requests. */
import type { RequestContextItem } from '../../agent/item.ts';
import type { SessionMessage } from '../../session/message.ts';
import { shownContent } from '../../session/reply-text.ts';
import type { OmittedPart, RequestReceipt } from '../../session/request.ts';
import type { Session, SessionItems, SessionSummary } from '../../session/session.ts';
import { badge } from './agents.ts';
import { renderFacts, renderSearchNote, renderTitle, renderWarnings, type Sheet } from './page.ts';
import { cutText, nameColumn, oneLine, padText } from './terminal-text.ts';
import { count, itemName, minuteOf, plural, tokensWithin } from './words.ts';

/** Messages of a session that a person still reads. */
const maxMessages = 20;

export function renderSessionList(
  { sessions, warnings }: { sessions: SessionSummary[]; warnings: Session['warnings'] },
  sheet: Sheet,
): string[] {
  const none = 'There are no sessions. Begin one with: contextd sessions create <agent>';
  const lines = sessions.map(({ id, agentId, createdAt, messageCount, firstMessage }) => {
    const said = firstMessage === undefined ? [] : [oneLine(firstMessage)];
    const about = [agentId, minuteOf(createdAt), plural(messageCount, 'message'), ...said].join(' · ');
    return `${sheet.paint('bold', id)}  ${cutText(about, sheet.width - id.length - 2)}`;
  });
  return [...(lines.length === 0 ? [none] : lines), ...renderWarnings(warnings, sheet)];
}

/** Whose a session is, and its settings. */
export function renderSessionSummary(session: SessionSummary, sheet: Sheet): string[] {
  const { id, agentId, createdAt, parentSessionId, lastSyncId } = session;
  const { currentModelProvider, currentModelId, maxChatTurns, maxOutputTokens, temperature, topP } = session;
  const asked = { always: 'asked before each call', never: 'never asked', tool: 'as set for each' };
  const model = [currentModelProvider, currentModelId].filter((part) => part !== undefined).join(' ');
  const facts = {
    agent: agentId,
    parent: parentSessionId,
    begun: `${minuteOf(createdAt)}, ${plural(lastSyncId, 'change')}`,
    model: oneLine(model),
    settings: `turns ${maxChatTurns}, output ${maxOutputTokens}, temperature ${temperature}, top-p ${topP}`,
    tools: asked[session.toolPermission],
  };
  return [sheet.paint('bold', id), ...renderFacts(facts, sheet)];
}

export function renderSession(session: Session, sheet: Sheet): string[] {
  const { lastSyncId, contextItems, warnings, messageCount } = session;
  const messages = session.messages.slice(-maxMessages);
  const before = messageCount - messages.length;
  return [
    ...renderSessionSummary(session, sheet),
    ...renderSessionItems({ items: contextItems, lastSyncId, warnings: [] }, sheet),
    '',
    renderTitle('Messages', messageCount, sheet),
    ...(before > 0 ? [sheet.paint('dim', `  … ${before} before these`)] : []),
    ...messages.map((message) => {
      const text = `${sheet.paint('cyan', padText(message.role, 9))} `;
      return `  ${text}${cutText(oneLine(textOf(message)), sheet.width - 12)}`;
    }),
    ...renderWarnings(warnings, sheet),
  ];
}

export function renderSessionItems({ items, warnings }: SessionItems, sheet: Sheet): string[] {
  const lines = items.map((item) => {
    const missing = item.missing === true ? sheet.paint('red', '  the agent does not have it now') : '';
    return `  ${badge(item.includeMode, sheet)}  ${padText(item.type, 9)}  ${itemName(item)}${missing}`;
  });
  return ['', renderTitle('Items', items.length, sheet), ...lines, ...renderWarnings(warnings, sheet)];
}

/** The receipt: what was sent, why, and its tokens; and what was left out, and why. */
export function renderReceipt(receipt: RequestReceipt, sheet: Sheet): string[] {
  const { requestId, requestContext, omitted, usage, semantic, messages, warnings } = receipt;
  const { items } = requestContext;
  const names = items.map((item) => ({ name: itemName(item) }));
  const width = nameColumn(names, sheet.width / 2);
  const rows = items.flatMap((item) => {
    const score = item.similarityScore === undefined ? '' : sheet.paint('magenta', item.similarityScore.toFixed(2));
    const name = padText(itemName(item), width);
    const row = `  ${badge(item.includeMode, sheet)}  ${padText(item.type, 9)}  ${name}  ${tokens(item.tokens)}  ${score}`;
    return [row.trimEnd(), ...partWords(item).map((words) => `    ${cutText(words, sheet.width - 4)}`)];
  });
  const parts = [
    ['system prompt', usage.systemPrompt],
    ['history', usage.history],
    ['message', usage.message],
  ] as const;
  const others = parts.flatMap(([name, count]) =>
    count === 0 ? [] : [`  ${padText('', 8)}  ${padText('', 9)}  ${padText(name, width)}  ${tokens(count)}`],
  );
  return [
    `${sheet.paint('bold', plural(items.length, 'item'))}, ${plural(messages.length, 'message')}, ${tokensOf(usage)}`,
    ...rows,
    ...others,
    ...renderWorkspace(requestContext, sheet),
    ...renderOmitted({ omitted, semantic, warnings }, sheet),
    '',
    sheet.paint('dim', `request ${requestId}`),
  ];
}

/** The sent part of an item, if it is not sent whole. */
function partWords({ part, reason }: RequestContextItem): string[] {
  return part === undefined || reason?.detail === undefined ? [] : [oneLine(reason.detail)];
}

/** What was sent of the workspace. */
export function renderWorkspace({ context = [] }: RequestReceipt['requestContext'], sheet: Sheet): string[] {
  const lines = context.map(({ kind, name, tokens: cost, truncated }) => {
    const text = `${padText(kind, 13)}  ${tokens(cost)}  ${oneLine(name)}${truncated ? ' (cut)' : ''}`;
    return `  ${cutText(text, sheet.width - 2)}`;
  });
  return lines.length === 0 ? [] : ['', sheet.paint('bold', 'From the workspace'), ...lines];
}

/** What was left out of a request and why, the state of the search, and warnings. */
export function renderOmitted(
  { omitted, semantic, warnings }: Pick<RequestReceipt, 'omitted' | 'semantic' | 'warnings'>,
  sheet: Sheet,
): string[] {
  return [
    ...(omitted.length === 0 ? [] : ['', sheet.paint('bold', 'Left out')]),
    ...omitted.map((part) => `  ${cutText(`${shownPart(part)}: ${reasonOf(part)}`, sheet.width - 2)}`),
    ...renderSearchNote(semantic, sheet),
    ...renderWarnings(warnings, sheet),
  ];
}

export function tokensOf(usage: RequestReceipt['usage']): string {
  return `${tokensWithin(usage)}${usage.estimated === true ? ' (estimated)' : ''}`;
}

function shownPart(part: OmittedPart): string {
  if (part.type === 'history') return `${plural(part.messages, 'earlier message')}`;
  if (part.type === 'context') return `${part.kind} ${oneLine(part.name ?? part.path ?? '')}`.trim();
  return `${part.type} ${part.type === 'file' ? oneLine(part.path) : itemName(part)}`;
}

function reasonOf({ reason, tokens: count }: OmittedPart): string {
  return `${oneLine(reason.detail ?? reason.code)}${count === 0 ? '' : `, ${plural(count, 'token')}`}`;
}

export function textOf(message: SessionMessage): string {
  if (message.role === 'approval') return plural(message.toolCallApprovals.length, 'decision');
  if (message.role === 'tool') return shownContent(message.content ?? message.output).text;
  if (message.role !== 'assistant') return shownContent(message.content).text;
  return typeof message.modelReply === 'string' ? message.modelReply : JSON.stringify(message.modelReply);
}

function tokens(number: number): string {
  return count(number).padStart(6);
}
