/** An event of any kind in a line for people. */
import type { EventData, EventType } from '../../events/event.ts';
import { oneLine } from './page.ts';

type Told = { [Type in EventType]: { event: Type; data: EventData[Type] } }[EventType];

/** Type and words of an event, safe for a terminal; of a kind that is not known, its data. */
export function renderEvent(event: string, data: unknown): string {
  return `${oneLine(event).padEnd(21)}  ${oneLine(wordsOf({ event, data } as Told))}`;
}

function wordsOf(told: Told): string {
  switch (told.event) {
    case 'context-changed':
    case 'policy-changed': {
      const [first, ...others] = told.data.changes;
      if (first === undefined) return told.data.mountedDirectories.join(', ');
      return `${first.change} ${first.path}${others.length === 0 ? '' : `, and ${others.length} more`}`;
    }
    case 'supplementary-changed':
      return told.data.mountedDirectory;
    case 'agent-changed':
      return `${told.data.change} ${told.data.agentId}`;
    case 'session-changed':
      return `${told.data.change} ${told.data.sessionId}, change ${told.data.lastSyncId}`;
    case 'mcp-state-changed':
      return `${told.data.name}: ${told.data.state}${withDetail(told.data.reason.detail)}`;
    case 'embedder-changed':
      return `${told.data.state}${withDetail(told.data.detail)}`;
    case 'index-progress':
      return `${told.data.phase} ${told.data.state}, ${told.data.done} of ${told.data.total}${withDetail(told.data.detail)}`;
    case 'resync':
      return `something may have been missed (${told.data.reason})`;
    default:
      return JSON.stringify((told as { data: unknown }).data);
  }
}

function withDetail(detail: string | undefined): string {
  return detail === undefined ? '' : `, ${detail}`;
}
