/** The names by which the API identifies items. */
import type { AgentItem, ContextItemRef } from '../../../agent/item.ts';
import { compareText } from '../../../texts/compare-text.ts';

type Named = { type: ContextItemRef['type']; name: string; serverName?: string | undefined };

/** A key that is equal for equal references. */
export function keyOf({ type, name, serverName = '' }: Named): string {
  return JSON.stringify(type === 'tool' ? [type, serverName, name] : [type, name]);
}

/** The part of an item that requests use to name it. */
export function refOf({ type, name, serverName = '' }: Named): ContextItemRef {
  return type === 'tool' ? { type, name, serverName } : { type, name };
}

/** `500`, `007`: three digits, so that the numbers line up. */
export function priorityDigits(priority: number): string {
  return String(priority).padStart(3, '0');
}

type Sorted = Named & { priority?: number | undefined };

/** Rules and references by priority, then by name; tools by server, then by name. */
export function compareItems(a: Sorted, b: Sorted): number {
  const byPriority = (a.priority ?? lowest) - (b.priority ?? lowest);
  return byPriority || compareText(a.serverName ?? '', b.serverName ?? '') || compareText(a.name, b.name);
}

/** Items without a priority come last: tools, and items that no longer exist. */
const lowest = 1_000;

/** The items that match `text`, best first: names that begin with it, names that contain it, then descriptions. */
export function matchingItems(items: readonly AgentItem[], text: string): AgentItem[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return [...items];
  const found: [AgentItem[], AgentItem[], AgentItem[]] = [[], [], []];
  for (const item of items) {
    const name = item.name.toLowerCase();
    const server = item.serverName?.toLowerCase() ?? '';
    if (name.startsWith(wanted) || `${server}.${name}`.startsWith(wanted)) found[0].push(item);
    else if (name.includes(wanted) || server.includes(wanted)) found[1].push(item);
    else if (item.description.toLowerCase().includes(wanted)) found[2].push(item);
  }
  return found.flat();
}
