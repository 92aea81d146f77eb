/** The MCP servers of a directory: what they are, whether they may run, and what they offer (MC-01 … MC-04). */
import './servers.css';
import { ArrowLeft, Cable, TriangleAlert } from 'lucide';
import { useEffect, useRef } from 'preact/hooks';
import type { McpServerEntry, McpServerList } from '../../../mcp/server-requests.ts';
import { request } from '../../api/request.ts';
import { useResource } from '../../api/resource.ts';
import { Badge } from '../../elements/badge.tsx';
import { Button } from '../../elements/button.tsx';
import { Icon } from '../../elements/icon.tsx';
import { EmptyState, Panel } from '../../elements/panel.tsx';
import { ResourceState } from '../../elements/resource-state.tsx';
import { countOf, Name } from '../../elements/text.tsx';
import { WarningsPanel } from '../../elements/warnings-panel.tsx';
import { mountedDirectory, route, setParams } from '../../route.ts';
import { ChooseDirectory, OutsideRoots } from '../../shell/choose-directory.tsx';
import { ServerDetail } from './server-detail.tsx';
import { areToolsKnown, stateWords, transportWords, wordsOfReason } from './server-words.ts';
import { nothingChosen, placeOf, ServersPlace } from './servers-place.tsx';

export function ServersView() {
  useFocusKept(route.value.params.get('server'));
  const directory = mountedDirectory();
  const place = placeOf(directory);
  const servers = useResource(
    place === undefined ? undefined : JSON.stringify(place),
    (signal) => request<McpServerList>('/v1/mcp/servers', { query: { ...place }, signal }),
    { events: ['mcp-state-changed', 'context-changed', 'agent-changed'] },
  );
  if (place === undefined)
    return (
      <div class="servers">
        <Panel title="Servers" class="servers-side">
          <ServersPlace />
        </Panel>
        <ChooseDirectory />
      </div>
    );
  const { value, problem, reload } = servers;
  const list = value?.servers ?? [];
  const isOutside = value === undefined && problem?.code === 'path_outside_roots' && directory !== undefined;
  const named = route.value.params.get('server');
  const chosen = list.find(({ id }) => id === named);
  const shown = chosen ?? list.find(needsSomebody) ?? list[0];
  return (
    <div class="servers" data-chosen={chosen !== undefined} data-empty={value !== undefined && shown === undefined}>
      <div class="servers-side stack">
        <Panel
          title="Servers"
          note={value === undefined ? undefined : countOf(list.length, 'server')}
          isBusy={servers.isStale}
        >
          <div class="stack">
            <ServersPlace />
            {!isOutside && <ResourceState resource={servers} rows={6} />}
            {value !== undefined && list.length === 0 && <NoServers />}
            {list.length > 0 && <ServerList servers={list} shown={shown} isChosen={chosen !== undefined} />}
          </div>
        </Panel>
        {value !== undefined && value.warnings.length > 0 && <WarningsPanel warnings={value.warnings} />}
      </div>
      {isOutside && <OutsideRoots directory={directory} onGranted={reload} />}
      {shown !== undefined && (
        <div class="servers-main stack">
          {chosen !== undefined && (
            <div class="servers-back">
              <Button kind="quiet" icon={ArrowLeft} onClick={() => setParams(nothingChosen, 'push')}>
                All servers
              </Button>
            </div>
          )}
          <ServerDetail key={shown.id} server={shown} onChanged={reload} />
        </div>
      )}
    </div>
  );
}

/**
 * In a narrow window only the list or the server is visible, so the clicked element disappears. This moves the focus to
 * the part that replaces it.
 */
function useFocusKept(chosen: string | null): void {
  const before = useRef(chosen);
  useEffect(() => {
    if (before.current === chosen) return;
    before.current = chosen;
    const focused = document.activeElement;
    if (focused !== null && focused !== document.body && focused.checkVisibility()) return;
    const next = chosen === null ? '.servers-row[data-shown="true"]' : '.servers-back button';
    document.querySelector<HTMLElement>(next)?.focus();
  }, [chosen]);
}

function needsSomebody({ state, reason }: McpServerEntry): boolean {
  return state === 'needs_approval' || state === 'failed' || reason.code === 'tools_changed';
}

type ListProps = { servers: readonly McpServerEntry[]; shown: McpServerEntry | undefined; isChosen: boolean };

function ServerList({ servers, shown, isChosen }: ListProps) {
  return (
    <ul class="servers-list row-list" aria-label="Servers">
      {servers.map((server) => {
        const { text, tone } = stateWords[server.state];
        const dangers = server.danger.length + (server.unverifiable === undefined ? 0 : 1);
        return (
          <li key={server.id}>
            <button
              type="button"
              class="servers-row"
              data-shown={server === shown}
              aria-current={isChosen && server === shown ? 'true' : undefined}
              onClick={() => setParams({ server: server.id, tool: undefined }, 'push')}
            >
              <span class="servers-row-name">
                <Name>{server.name}</Name>
              </span>
              <Badge tone={tone}>{text}</Badge>
              <span class="servers-row-facts">
                {transportWords[server.transport]} · {server.scope} ·{' '}
                {areToolsKnown(server) ? countOf(server.tools, 'tool') : 'tools not known'}
                {server.withheldTools > 0 && `, ${server.withheldTools} withheld`}
              </span>
              {server.state !== 'ready' && (
                <span class="servers-row-facts">
                  <Name>{wordsOfReason(server)}</Name>
                </span>
              )}
              {dangers > 0 && server.approvedAt === undefined && (
                <span class="servers-row-facts servers-row-danger">
                  <Icon icon={TriangleAlert} size={14} /> {countOf(dangers, 'thing')} to check carefully
                </span>
              )}
            </button>
          </li>
        );
      })}
    </ul>
  );
}

function NoServers() {
  return (
    <EmptyState icon={Cable} title="No servers are defined here">
      <p>
        Define them under <code>mcpServers</code> in <code>.context/context-config.json</code> of the project, or of
        your home directory for all projects. The lists of other tools count too, such as <code>.mcp.json</code>.
      </p>
      <pre class="servers-example">{`{
  "mcpServers": {
    "notes": {
      "command": "node",
      "args": ["notes.js"]
    }
  }
}`}</pre>
      <p>It appears here as soon as the file is written. Nothing runs before you approve it.</p>
    </EmptyState>
  );
}
