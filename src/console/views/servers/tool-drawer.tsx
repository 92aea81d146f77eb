/** One tool: its description, its arguments, and a form to call it. */
import type { McpServerEntry, McpToolList } from '../../../mcp/server-requests.ts';
import { Badge } from '../../elements/badge.tsx';
import { Dialog } from '../../elements/dialog.tsx';
import { LongText } from '../../elements/long-text.tsx';
import { Name } from '../../elements/text.tsx';
import { wordsOfAnnotations } from './server-words.ts';
import { TryTool } from './try-tool.tsx';

export type Tool = McpToolList['tools'][number];

type DrawerProps = { server: McpServerEntry; tool: Tool; onClose: () => void };

export function ToolDrawer({ server, tool, onClose }: DrawerProps) {
  return (
    <Dialog
      shape="drawer"
      title={
        <>
          <span class="mono">
            <Name>{tool.name}</Name>
          </span>{' '}
          <span class="faint">
            of <Name>{server.name}</Name>
          </span>
        </>
      }
      onClose={onClose}
    >
      <ToolFlags tool={tool} />
      <Altered tool={tool} />
      {tool.description === '' ? (
        <p class="faint">It has no description.</p>
      ) : (
        <LongText text={tool.description} label="Description" />
      )}
      <TryTool server={server} tool={tool} />
      <Folded summary="Schema of its arguments" value={tool.inputSchema} />
      <Folded summary="Schema of its result" value={tool.outputSchema} />
      <Folded summary="Hints it gives about itself" label="Annotations" value={tool.annotations} />
    </Dialog>
  );
}

/** A value as JSON, after a click. Empty without one. */
function Folded({ summary, label = summary, value }: { summary: string; label?: string; value: unknown }) {
  if (value === undefined) return null;
  return (
    <details>
      <summary>{summary}</summary>
      <LongText text={JSON.stringify(value, null, 2)} label={label} />
    </details>
  );
}

export function ToolFlags({ tool }: { tool: Pick<Tool, 'annotations' | 'altered'> }) {
  const words = wordsOfAnnotations(tool.annotations);
  if (words.length === 0 && tool.altered === undefined) return null;
  return (
    <span class="cluster">
      {tool.altered === true && (
        <Badge tone="warn" title="Invisible characters were removed, or text was cut.">
          altered
        </Badge>
      )}
      {words.map(({ text, tone }) => (
        <Badge key={text} tone={tone} title="A hint of the server. contextd does not rely on it.">
          {text}
        </Badge>
      ))}
    </span>
  );
}

/** Says in a sentence what the badge means. */
export function Altered({ tool }: { tool: Pick<Tool, 'altered'> }) {
  if (tool.altered === undefined) return null;
  return <p class="faint">Invisible characters were removed from the texts of the server, or a text was cut.</p>;
}
