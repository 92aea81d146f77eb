/** The tools of a server: those that can be used, and those that are withheld until somebody has looked at them. */
import { ChevronRight, ShieldCheck } from 'lucide';
import { useState } from 'preact/hooks';
import type { McpServerEntry, McpToolList } from '../../../mcp/mcp-server.ts';
import { asProblem, type Problem, request } from '../../api/request.ts';
import { useResource } from '../../api/resource.ts';
import { Badge } from '../../elements/badge.tsx';
import { Button } from '../../elements/button.tsx';
import { Icon } from '../../elements/icon.tsx';
import { LongText } from '../../elements/long-text.tsx';
import { Notice, Panel, ProblemNotice, Skeleton } from '../../elements/panel.tsx';
import { count, countOf, Name } from '../../elements/text.tsx';
import { notify } from '../../elements/toasts.tsx';
import { VirtualList } from '../../elements/virtual-list.tsx';
import { route, setParams } from '../../route.ts';
import { approve } from './approval.tsx';
import { BeforeAndAfter } from './exact-text.tsx';
import { Altered, type Tool, ToolDrawer, ToolFlags } from './tool-drawer.tsx';

const virtualFrom = 60;

export function ToolsPanel({ server }: { server: McpServerEntry }) {
  const { id, fingerprint, approvedAt = '', tools: toolCount, withheldTools } = server;
  const key = [id, fingerprint, approvedAt, toolCount, withheldTools].join(' ');
  const tools = useResource(key, (signal) => request<McpToolList>(`/v1/mcp/servers/${id}/tools`, { signal }), {
    events: ['mcp-state-changed'],
    concerns: ({ data }) => (data as { serverId?: string }).serverId === id,
  });
  const list = tools.value?.serverId === id ? tools.value : undefined;
  const chosen = list?.tools.find(({ name }) => name === route.value.params.get('tool'));
  return (
    <>
      {list !== undefined && list.withheld.length > 0 && (
        <Withheld server={server} list={list} onChanged={tools.reload} />
      )}
      <Panel title="Tools" note={list === undefined ? undefined : countOf(list.tools.length, 'tool')}>
        {tools.problem !== undefined && <ProblemNotice problem={tools.problem} onRetry={tools.reload} />}
        {list === undefined ? (
          tools.problem === undefined && <Skeleton rows={5} />
        ) : (
          <ToolList tools={list.tools} server={server} />
        )}
      </Panel>
      {chosen !== undefined && (
        <ToolDrawer
          key={chosen.name}
          server={server}
          tool={chosen}
          onClose={() => setParams({ tool: undefined }, 'push')}
        />
      )}
    </>
  );
}

function ToolList({ tools, server }: { tools: readonly Tool[]; server: McpServerEntry }) {
  const [wanted, setWanted] = useState('');
  if (tools.length === 0)
    return (
      <p class="faint">
        {server.state === 'ready'
          ? server.withheldTools > 0
            ? 'All its tools are withheld.'
            : 'The server lists no tools.'
          : 'Not known yet: the server lists its tools when it is started for the first time.'}
      </p>
    );
  const words = wanted.trim().toLowerCase();
  const shown = tools.filter(({ name, description }) => `${name}\n${description}`.toLowerCase().includes(words));
  return (
    <>
      {tools.length > 8 && (
        <input
          class="servers-filter"
          type="search"
          aria-label="Filter tools"
          placeholder={`Filter ${count(tools.length)} tools`}
          data-main-field
          value={wanted}
          onInput={(event) => setWanted(event.currentTarget.value)}
        />
      )}
      {shown.length === 0 && <p class="faint">No tool has “{wanted}” in its name or description.</p>}
      {shown.length > virtualFrom ? (
        <VirtualList
          class="servers-tools"
          label="Tools by name"
          items={shown}
          keyOf={({ name }) => name}
          estimate={52}
          render={(tool) => <ToolRow tool={tool} />}
        />
      ) : (
        <ul class="servers-tools row-list" aria-label="Tools">
          {shown.map((tool) => (
            <li key={tool.name}>
              <ToolRow tool={tool} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function ToolRow({ tool }: { tool: Tool }) {
  const firstLine = tool.description.split('\n', 1)[0]?.slice(0, 300) ?? '';
  return (
    <button type="button" class="servers-tool" onClick={() => setParams({ tool: tool.name }, 'push')}>
      <span class="servers-tool-name">
        <span class="mono">
          <Name>{tool.name}</Name>
        </span>
        <ToolFlags tool={tool} />
      </span>
      <span class="servers-tool-says">
        <Name>{firstLine}</Name>
      </span>
      <Icon icon={ChevronRight} />
    </button>
  );
}

type WithheldProps = { server: McpServerEntry; list: McpToolList; onChanged: () => void };

/** What is shown stays, as a definition does while it is looked at: what changes underneath is offered, not slipped in. */
function Withheld({ server, list, onChanged }: WithheldProps) {
  const [shown, setShown] = useState(list);
  const [problem, setProblem] = useState<Problem>();
  const [isBusy, setIsBusy] = useState(false);
  const { withheld, toolsFingerprint } = shown;
  const isOld = list.toolsFingerprint !== toolsFingerprint;
  const acceptable = withheld.filter(({ tool }) => tool !== undefined);
  const accept = async () => {
    setIsBusy(true);
    setProblem(undefined);
    try {
      await approve({
        fingerprint: server.fingerprint,
        ...(toolsFingerprint === undefined ? {} : { toolsFingerprint }),
      });
      notify(`${countOf(acceptable.length, 'tool')} of “${server.name}” can be used as shown.`);
    } catch (error) {
      setProblem(asProblem(error));
    }
    setIsBusy(false);
    onChanged();
  };
  return (
    <Panel class="servers-head" title="Withheld tools" note={`${countOf(withheld.length, 'tool')} nobody can use`}>
      <div class="stack">
        {acceptable.length > 0 && (
          <p class="servers-explanation">
            The server says something else about these tools than when it was approved. What it says goes to the model:
            read it as you would read a command.
          </p>
        )}
        {withheld.length > virtualFrom ? (
          <VirtualList
            label="Withheld tools by name"
            items={withheld}
            keyOf={(each, index) => `${index} ${each.name}`}
            estimate={180}
            render={(each) => <WithheldTool withheld={each} />}
          />
        ) : (
          <ul aria-label="Withheld tools">
            {withheld.map((each, index) => (
              <li key={`${index} ${each.name}`}>
                <WithheldTool withheld={each} />
              </li>
            ))}
          </ul>
        )}
        {isOld && (
          <Notice
            action={
              <Button
                kind="quiet"
                onClick={() => {
                  setShown(list);
                  setProblem(undefined);
                }}
              >
                Show what is there now
              </Button>
            }
          >
            <p>The tools changed while they were shown here. These cannot be accepted any more.</p>
          </Notice>
        )}
        {problem !== undefined && <ProblemNotice problem={problem} />}
        {acceptable.length > 0 &&
          (toolsFingerprint === undefined ? (
            <Notice tone="info">
              <p>Start the server to see what its tools are now.</p>
            </Notice>
          ) : (
            <div class="servers-decision">
              <p class="servers-hash">
                <span class="faint">Fingerprint of the tools</span> <code>{toolsFingerprint}</code>
              </p>
              <Button kind="primary" icon={ShieldCheck} disabled={isBusy || isOld} onClick={() => void accept()}>
                Accept these tools
              </Button>
            </div>
          ))}
      </div>
    </Panel>
  );
}

function WithheldTool({ withheld: { name, reason, tool, approved } }: { withheld: McpToolList['withheld'][number] }) {
  const what = tool === undefined ? 'cannot be used' : approved === undefined ? 'new' : 'changed';
  return (
    <div class="servers-withheld">
      <p class="cluster">
        <strong class="mono">
          <Name>{name}</Name>
        </strong>
        <Badge tone="warn">{what}</Badge>
        <span class="faint">
          <Name>{reason.detail ?? reason.code}</Name>
        </span>
      </p>
      {tool !== undefined && <ToolChange now={tool} approved={approved} />}
    </div>
  );
}

type Described = NonNullable<McpToolList['withheld'][number]['tool']>;

const comparedFields = ['title', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const;
const fieldWords = {
  title: 'Title',
  description: 'Description',
  inputSchema: 'Schema of its arguments',
  outputSchema: 'Schema of its result',
  annotations: 'Hints about itself',
};

function ToolChange({ now, approved }: { now: Described; approved: Described | undefined }) {
  const differing = comparedFields.filter((field) => textOf(now[field]) !== textOf(approved?.[field]));
  return (
    <>
      <ToolFlags tool={now} />
      <Altered tool={now} />
      {differing.length === 0 && (
        <p class="faint">What differs cannot be seen: invisible characters, or text beyond what is shown.</p>
      )}
      {differing.map((field) => (
        <div key={field}>
          <p class="servers-field">{fieldWords[field]}</p>
          {approved === undefined ? (
            <LongText text={textOf(now[field]) ?? ''} label={fieldWords[field]} />
          ) : (
            <BeforeAndAfter before={textOf(approved[field])} after={textOf(now[field])} keepsLines />
          )}
        </div>
      ))}
    </>
  );
}

function textOf(value: unknown): string | undefined {
  return value === undefined || typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
