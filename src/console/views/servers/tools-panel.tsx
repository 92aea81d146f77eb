/** The tools of a server. */
import { ChevronRight } from 'lucide';
import { useState } from 'preact/hooks';
import type { McpServerEntry, McpToolList } from '../../../mcp/server-requests.ts';
import { request } from '../../api/request.ts';
import { useResource } from '../../api/resource.ts';
import { Icon } from '../../elements/icon.tsx';
import { Panel } from '../../elements/panel.tsx';
import { ResourceState } from '../../elements/resource-state.tsx';
import { count, countOf, Name } from '../../elements/text.tsx';
import { LongList } from '../../elements/virtual-list.tsx';
import { route, setParams } from '../../route.ts';
import { areToolsKnown } from './server-words.ts';
import { type Tool, ToolDrawer, ToolFlags } from './tool-drawer.tsx';
import { Withheld } from './withheld-tools.tsx';

const maxRows = 60;

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
      <Panel
        title="Tools"
        note={list !== undefined && areToolsKnown(server) ? countOf(list.tools.length, 'tool') : undefined}
      >
        <ResourceState resource={{ ...tools, value: list }} rows={5} />
        {list !== undefined && <ToolList tools={list.tools} server={server} />}
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
  if (tools.length === 0) return <p class="faint">{whyNoTools(server)}</p>;
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
      <LongList
        class="servers-tools row-list"
        label="Tools"
        items={shown}
        keyOf={({ name }) => name}
        most={maxRows}
        estimate={52}
        render={(tool) => <ToolRow tool={tool} />}
      />
    </>
  );
}

function whyNoTools(server: McpServerEntry): string {
  if (!areToolsKnown(server)) return 'Not known yet: the server lists its tools when it is started for the first time.';
  return server.withheldTools > 0 ? 'All its tools are withheld.' : 'The server lists no tools.';
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
