import './search.css';
import type { Agent } from '../../../agent/agent.ts';
import type { ItemSearchResult } from '../../../agent/item-search.ts';
import { useAgents } from '../../api/agents.ts';
import type { ReceivedEvent } from '../../api/events.ts';
import { request } from '../../api/request.ts';
import { useResource } from '../../api/resource.ts';
import { Panel } from '../../elements/panel.tsx';
import { mountedDirectory, route } from '../../route.ts';
import { ChooseDirectory, OutsideRoots } from '../../shell/choose-directory.tsx';
import { NothingAsked, ResultsPanel } from './results-panel.tsx';
import { KindChoice, QueryField, SelectionControls, SourceField } from './search-controls.tsx';
import { effectiveOptions, optionsOf, requestOf, searchOf } from './search-request.ts';

/** Which items are relevant to a question, how much, and which are selected. */
export function SearchView() {
  const { params } = route.value;
  const directory = mountedDirectory();
  const agentId = params.get('of') ?? undefined;
  const agents = useAgents().value?.agents ?? [];
  const agentFound = useResource(
    agentId,
    (signal) => request<Agent>(`/v1/agents/${encodeURIComponent(agentId ?? '')}`, { signal }),
    {
      events: ['agent-changed'],
      concerns: (event) => event.type !== 'agent-changed' || event.data.agentId === agentId,
    },
  );
  const agent = agentFound.isStale ? undefined : agentFound.value;
  const asked = requestOf(params);
  const found = useResource(
    asked === undefined ? undefined : JSON.stringify(asked),
    (signal) => request<ItemSearchResult>('/v1/search', { body: asked, signal }),
    {
      events: [
        'context-changed',
        'policy-changed',
        'agent-changed',
        'mcp-state-changed',
        'embedder-changed',
        'index-progress',
      ],
      concerns: (event) => concernsSearch(event, agentId, agent?.mountedDirectory ?? directory),
    },
  );
  const { problem, reload } = found;
  const { selection } = effectiveOptions(optionsOf(params), searchOf(agent));
  const isOutside = problem?.code === 'path_outside_roots' && agentId === undefined && directory !== undefined;
  const answer = () => {
    if (agentId === undefined && directory === undefined) return <ChooseDirectory />;
    if (asked === undefined) return <NothingAsked />;
    if (isOutside) return <OutsideRoots directory={directory} onGranted={reload} />;
    const place = agentId === undefined ? directory : agent?.mountedDirectory;
    return <ResultsPanel found={found} asked={asked} selection={selection} directory={place} />;
  };
  return (
    <div class="search">
      <Panel title="Question">
        <search class="search-controls" aria-label="What to search, and how">
          <QueryField />
          <SourceField agents={agents} />
          <KindChoice />
          <SelectionControls agent={agent} />
        </search>
      </Panel>
      {answer()}
    </div>
  );
}

/** Whether an event may change the results. */
function concernsSearch(event: ReceivedEvent, agentId: string | undefined, directory: string | undefined): boolean {
  switch (event.type) {
    case 'agent-changed':
      return event.data.agentId === agentId;
    case 'mcp-state-changed':
      return agentId !== undefined;
    case 'context-changed':
    case 'policy-changed':
      return directory?.startsWith('~') === true || event.data.mountedDirectories.includes(directory ?? '');
    case 'embedder-changed':
      return event.data.state === 'ready' || event.data.state === 'failed';
    case 'index-progress':
      return event.data.state === 'finished';
    default:
      return true;
  }
}
