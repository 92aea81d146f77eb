import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { modelText } from '../../../session/model-messages.ts';
import type { OmittedPart, RebuiltRequest } from '../../../session/request.ts';
import { Badge, type Tone } from '../../elements/badge.tsx';
import { count, countOf, Name, PlainText } from '../../elements/text.tsx';
import { VirtualList } from '../../elements/virtual-list.tsx';
import { ItemName, ModeBadge } from './item-columns.tsx';

/** The parts that did not fit, in the order in which they were dropped, and why. */
export function Omitted({ parts }: { parts: readonly OmittedPart[] }) {
  if (parts.length === 0) return null;
  return (
    <section aria-label="Left out" class="sessions-left-out">
      <h3>
        Left out <span class="sessions-number">{count(parts.length)}</span>
      </h3>
      <ul class="row-list">
        {parts.slice(0, maxOmitted).map((part, index) => (
          <li key={index} class="sessions-omitted">
            <OmittedName part={part} />
            <span class="sessions-omitted-reason">
              <Name>{part.reason.detail ?? part.reason.code}</Name> <code class="faint">{part.reason.code}</code>
              {part.tokens > 0 && <span class="sessions-tokens">{countOf(part.tokens, 'token')}</span>}
            </span>
          </li>
        ))}
      </ul>
      {parts.length > maxOmitted && <p class="faint">{count(parts.length - maxOmitted)} more</p>}
    </section>
  );
}

const maxOmitted = 200;

function OmittedName({ part }: { part: OmittedPart }) {
  if (part.type === 'history') return <span>{countOf(part.messages, 'earlier message')}</span>;
  if (part.type === 'file' || part.type === 'context')
    return (
      <span class="cluster">
        <Name>{part.type === 'file' ? part.path : (part.name ?? part.path ?? '')}</Name>
        <span class="faint">{part.type === 'file' ? 'file' : part.kind}</span>
      </span>
    );
  return (
    <span class="cluster">
      <span class="sessions-item-name">
        <ItemName name={part.name} serverName={part.serverName} />
      </span>
      <span class="faint">{part.type}</span>
      <ModeBadge mode={part.includeMode} />
      {part.similarityScore !== undefined && <Badge tone="warn">{part.similarityScore.toFixed(2)}</Badge>}
    </span>
  );
}

/** The workspace context that the request included. */
export function Workspace({ context = [] }: { context?: RebuiltRequest['requestContext']['context'] }) {
  if (context.length === 0) return null;
  return (
    <section aria-label="From the workspace">
      <h3>
        From the workspace <span class="sessions-number">{count(context.length)}</span>
      </h3>
      <ul class="row-list">
        {context.map((item, index) => (
          <li key={index} class="sessions-omitted">
            <span class="cluster">
              <Name>{item.name}</Name>
              <span class="faint">{item.kind}</span>
              {item.truncated && <Badge tone="warn">cut</Badge>}
            </span>
            <span class="sessions-tokens">{countOf(item.tokens, 'token')}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Messages and tools as sent to the model. There can be thousands. */
export function Sent({ value }: { value: RebuiltRequest }) {
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
          render={(message) => {
            const { role = 'item' } = message;
            const text = modelText(message);
            return (
              <div class="sessions-message">
                <Badge tone={roleTones[role] ?? 'neutral'}>{role}</Badge>
                <PlainText text={text.slice(0, maxCharacters)} />
                {text.length > maxCharacters && (
                  <p class="faint">{countOf(text.length - maxCharacters, 'more character')}</p>
                )}
              </div>
            );
          }}
        />
      </Lazy>
      {tools.length > 0 && (
        <Lazy summary={`Tools as they were sent (${count(tools.length)})`}>
          <PlainText text={JSON.stringify(tools, undefined, 2)} />
        </Lazy>
      )}
    </>
  );
}

const maxCharacters = 20_000;
const roleTones: Readonly<Record<string, Tone>> = { assistant: 'accent', system: 'good' };

/** A section that renders its content only once it is opened. */
export function Lazy({ summary, children }: { summary: string; children: ComponentChildren }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details class="sessions-details" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen && children}
    </details>
  );
}
