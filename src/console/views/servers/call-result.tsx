/** The answer of a tool. It is not trusted, so it is always shown as text. */
import type { ToolCallResult } from '../../../mcp/server-requests.ts';
import { Badge } from '../../elements/badge.tsx';
import { LongText } from '../../elements/long-text.tsx';
import { Name, size } from '../../elements/text.tsx';

export function CallResult({ result, tookMs }: { result: ToolCallResult; tookMs: number }) {
  const { content, structuredContent, isError = false } = result;
  return (
    <section class="servers-result" aria-label="Result">
      <p class="cluster">
        {isError ? <Badge tone="bad">the tool says that it failed</Badge> : <Badge tone="good">answered</Badge>}
        <span class="faint servers-number">
          {tookMs < 1_000 ? `${Math.round(tookMs)} ms` : `${(tookMs / 1_000).toFixed(1)} s`}
        </span>
      </p>
      {content.map((part, index) => (
        <ContentPart key={index} part={part} label={`Part ${index + 1}`} />
      ))}
      {content.length === 0 && structuredContent === undefined && <p class="faint">The answer is empty.</p>}
      {structuredContent !== undefined && (
        <>
          <h3>As a value</h3>
          <LongText text={JSON.stringify(structuredContent, null, 2)} label="Structured content" />
        </>
      )}
    </section>
  );
}

function ContentPart({ part, label }: { part: unknown; label: string }) {
  const { type, text, data, mimeType } = (part ?? {}) as Record<string, unknown>;
  if (type === 'text' && typeof text === 'string') return <LongText text={text} label={label} />;
  if ((type === 'image' || type === 'audio') && typeof data === 'string')
    return (
      <p class="faint">
        <Name>{`${type}, ${typeof mimeType === 'string' ? mimeType : 'of no type'}, ${size(Math.floor((data.length * 3) / 4))}`}</Name>
        ; not shown here
      </p>
    );
  return <LongText text={JSON.stringify(part, null, 2) ?? 'undefined'} label={label} />;
}
