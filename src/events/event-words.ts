/** Describes an event in one line for people. */
import type { EventData, EventType } from './event.ts';

type Told = { [Type in EventType]: { type: Type; data: EventData[Type] } }[EventType];

/** Returns the data as JSON if the type is unknown. */
export function wordsOfEvent({ type, data }: Told, shownPath = (path: string): string => path): string {
  switch (type) {
    case 'context-changed':
    case 'policy-changed': {
      const [first, ...others] = data.changes;
      if (first === undefined) return data.mountedDirectories.join(', ');
      return `${first.change} ${shownPath(first.path)}${others.length === 0 ? '' : `, and ${others.length} more`}`;
    }
    case 'supplementary-changed':
      return data.mountedDirectory;
    case 'agent-changed':
      return `${data.change} ${data.agentId}`;
    case 'session-changed':
      return `${data.change} ${data.sessionId}, change ${data.lastSyncId}`;
    case 'mcp-state-changed':
      return `${data.name}: ${inWords(data.state)}${withDetail(data.reason.detail)}`;
    case 'embedder-changed':
      return `${data.state}${withDetail(data.detail)}`;
    case 'index-progress':
      return `${data.phase} ${data.state}, ${data.done} of ${data.total}${withDetail(data.detail)}`;
    case 'resync':
      return `something may have been missed (${inWords(data.reason)})`;
    default:
      return JSON.stringify(data);
  }
}

/** Another daemon may have sent something else. */
function inWords(code: unknown): string {
  return String(code).replaceAll('_', ' ');
}

function withDetail(detail: string | undefined): string {
  return detail === undefined ? '' : `, ${detail}`;
}
