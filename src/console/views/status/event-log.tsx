/** The events the daemon sent since the page was opened, newest first (SY-03). */
import { Activity, Pause, Play } from 'lucide';
import { useState } from 'preact/hooks';
import type { EventType } from '../../../events/event.ts';
import { wordsOfEvent } from '../../../events/event-words.ts';
import { type ReceivedEvent, recentEvents } from '../../api/events.ts';
import { Badge, type Tone } from '../../elements/badge.tsx';
import { Button } from '../../elements/button.tsx';
import { EmptyState, Panel } from '../../elements/panel.tsx';
import { count, countOf, Name, PlainText } from '../../elements/text.tsx';
import { VirtualList } from '../../elements/virtual-list.tsx';
import { mountedDirectory, route, setParams } from '../../route.ts';

const tones: Partial<Record<EventType, Tone>> = {
  'mcp-state-changed': 'accent',
  'embedder-changed': 'accent',
  'index-progress': 'accent',
  resync: 'warn',
};

export function EventLog() {
  const live = recentEvents.value;
  const [held, setHeld] = useState<readonly ReceivedEvent[]>();
  const [open, setOpen] = useState<ReadonlySet<ReceivedEvent>>(new Set());
  const events = held ?? live;
  const wanted = route.value.params.get('type') ?? '';
  const types = [...new Set([...events.map(({ type }) => type), ...(wanted === '' ? [] : [wanted])])].sort();
  const shown = wanted === '' ? events : events.filter(({ type }) => type === wanted);
  const missed = held === undefined ? 0 : live.indexOf(held[0] as ReceivedEvent);
  const toggle = (event: ReceivedEvent) =>
    setOpen((last) => {
      const next = new Set(last);
      if (!next.delete(event)) next.add(event);
      return next;
    });
  return (
    <Panel
      class="status-log"
      title="Events"
      note={
        held === undefined
          ? countOf(events.length, 'event')
          : `paused, ${missed < 0 ? 'many' : count(missed)} more since`
      }
      actions={
        <>
          <select
            class="status-filter"
            aria-label="Which events"
            value={wanted}
            onChange={(event) => setParams({ type: event.currentTarget.value })}
          >
            <option value="">All types</option>
            {types.map((type) => (
              <option key={type} value={type}>
                {type}
              </option>
            ))}
          </select>
          <Button
            icon={held === undefined ? Pause : Play}
            pressed={held !== undefined}
            onClick={() => setHeld(held === undefined ? live : undefined)}
          >
            Pause
          </Button>
        </>
      }
    >
      {shown.length === 0 ? (
        <EmptyState icon={Activity} title={wanted === '' ? 'No events yet' : `No ${wanted} yet`}>
          Events appear here while this page is open. Change a context file to see one, or watch the events in a
          terminal: <code>contextd watch</code>
        </EmptyState>
      ) : (
        <VirtualList
          class="status-events"
          label="Events, newest first"
          items={shown}
          keyOf={(event) => `${event.id} ${event.receivedAt.getTime()}`}
          estimate={36}
          render={(event) => <EventRow event={event} isOpen={open.has(event)} onToggle={() => toggle(event)} />}
        />
      )}
    </Panel>
  );
}

type RowProps = { event: ReceivedEvent; isOpen: boolean; onToggle: () => void };

function EventRow({ event, isOpen, onToggle }: RowProps) {
  const { type, receivedAt, data, id } = event;
  return (
    <div class="status-event">
      <button type="button" aria-expanded={isOpen} onClick={onToggle}>
        <time dateTime={receivedAt.toISOString()}>{receivedAt.toISOString().slice(11, 19)}</time>
        <Badge tone={tones[type] ?? 'neutral'} isCode>
          {type}
        </Badge>
        <span class="status-event-words">
          <Name>{wordsOfEvent(event, shortened).slice(0, 300)}</Name>
        </span>
      </button>
      {isOpen && <PlainText text={`${id}\n${JSON.stringify(data, null, 2)}`.slice(0, 20_000)} />}
    </div>
  );
}

/** Drops the page's mounted directory from the start of a path, because it is known there. */
function shortened(path: string): string {
  const directory = mountedDirectory();
  return directory !== undefined && path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : path;
}
