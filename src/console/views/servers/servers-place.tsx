/**
 * Chooses whose servers are shown: those of the page's mounted directory and a working directory, or those of an agent.
 */
import { useState } from 'preact/hooks';
import { visibleText } from '../../../texts/visible-text.ts';
import { useAgents } from '../../api/agents.ts';
import { Field, SelectField } from '../../elements/fields.tsx';
import { route, setParams } from '../../route.ts';

export const nothingChosen = { server: undefined, tool: undefined };

/** The query of the request. An agent has a mounted directory of its own. */
export function placeOf(directory: string | undefined) {
  const agentId = route.value.params.get('agent') ?? undefined;
  if (agentId !== undefined) return { agentId };
  if (directory === undefined) return undefined;
  return { mountedDirectory: directory, workingDirectory: route.value.params.get('wd') ?? undefined };
}

export function ServersPlace() {
  const { params } = route.value;
  const agentId = params.get('agent') ?? '';
  const agents = useAgents().value?.agents ?? [];
  return (
    <div class="servers-place">
      {(agents.length > 0 || agentId !== '') && (
        <SelectField
          label="Servers of"
          value={agentId}
          options={[
            { value: '', label: 'the mounted directory' },
            ...agents.map(({ id, name }) => ({ value: id, label: `agent ${visibleText(name.slice(0, 80))} (${id})` })),
          ]}
          onChange={(agent) => setParams({ agent, ...nothingChosen }, 'push')}
        />
      )}
      {agentId === '' && <WorkingDirectory key={params.get('wd')} directory={params.get('wd') ?? ''} />}
    </div>
  );
}

function WorkingDirectory({ directory }: { directory: string }) {
  const [text, setText] = useState(directory);
  const commit = () => {
    if (text.trim() !== directory) setParams({ wd: text.trim(), ...nothingChosen }, 'push');
  };
  return (
    <Field label="Working directory" hint="Configurations from the project root down to this directory count.">
      {(ids) => (
        <input
          {...ids}
          data-main-field
          type="text"
          class="mono"
          autocomplete="off"
          spellcheck={false}
          placeholder="."
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') commit();
          }}
          onBlur={commit}
        />
      )}
    </Field>
  );
}
