import { Bot, Plus } from 'lucide';
import { useState } from 'preact/hooks';
import type { AgentSummary } from '../../../agent/agent.ts';
import type { Session, SessionSummary } from '../../../session/session.ts';
import { useAgents } from '../../api/agents.ts';
import { asProblem, type Problem, request } from '../../api/request.ts';
import { Button } from '../../elements/button.tsx';
import { Command } from '../../elements/command.tsx';
import { Dialog } from '../../elements/dialog.tsx';
import { SelectField, Toggle } from '../../elements/fields.tsx';
import { EmptyState, ProblemNotice } from '../../elements/panel.tsx';
import { ResourceState } from '../../elements/resource-state.tsx';
import { Name } from '../../elements/text.tsx';
import { attempt } from '../../elements/toasts.tsx';
import { mountedDirectory, setParams } from '../../route.ts';
import { shellWord } from '../../shell-word.ts';

/** Says what to do when no agent exists that could have a session. */
export function NoAgents() {
  const directory = mountedDirectory();
  const id = (directory?.split('/').at(-1) ?? '').replaceAll(/[^\w-]+/gu, '-').slice(0, 64);
  const agent = JSON.stringify({ name: id === '' ? 'Reviewer' : id, mountedDirectory: directory ?? '~/project' });
  const command = `printf %s ${shellWord(agent)} | contextd agents put ${id === '' ? 'reviewer' : id} -`;
  return (
    <EmptyState
      icon={Bot}
      title="There is no agent yet"
      action={
        directory !== undefined &&
        id !== '' && (
          <Button
            kind="primary"
            icon={Plus}
            onClick={() =>
              void attempt(() =>
                request(`/v1/agents/${id}`, {
                  method: 'PUT',
                  headers: { 'if-none-match': '*' },
                  body: { name: id, mountedDirectory: directory },
                }),
              )
            }
          >
            Create the agent “{id}” for the mounted directory
          </Button>
        )
      }
    >
      <p>
        Each session belongs to an agent: its rules, references and tools, and where they come from. To create an agent:
      </p>
      <Command text={command} />
    </EmptyState>
  );
}

/** Creates a session and opens it. `parent` is the session that is open now. */
export function NewSessionDialog({ parent, onClose }: { parent: SessionSummary | undefined; onClose: () => void }) {
  const known = useAgents();
  const { value } = known;
  const [chosen, setChosen] = useState<string>();
  const [inherits, setInherits] = useState(false);
  const [refusal, setRefusal] = useState<Problem>();
  const [isBusy, setIsBusy] = useState(false);
  const agents = value?.agents ?? [];
  const agentId = chosen ?? agents.find(({ id }) => id === parent?.agentId)?.id ?? agents[0]?.id;
  const agent = agents.find(({ id }) => id === agentId);
  const create = async () => {
    setIsBusy(true);
    setRefusal(undefined);
    try {
      const { id } = await request<Session>('/v1/sessions', {
        body: { agentId, ...(inherits && parent !== undefined ? { parentSessionId: parent.id } : {}) },
      });
      onClose();
      setParams({ session: id, request: undefined, message: undefined, q: undefined, agent: undefined }, 'push');
    } catch (error) {
      setRefusal(asProblem(error));
      setIsBusy(false);
    }
  };
  return (
    <Dialog
      title="New session"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" disabled={agentId === undefined || isBusy} onClick={() => void create()}>
            Begin
          </Button>
        </>
      }
    >
      {refusal !== undefined && <ProblemNotice problem={refusal} />}
      <ResourceState resource={known} rows={3} />
      {value !== undefined && agents.length === 0 && <NoAgents />}
      {agents.length > 0 && (
        <SelectField
          label="Agent"
          hint={agent !== undefined && <AboutAgent agent={agent} />}
          value={agentId ?? ''}
          options={agents.map(({ id }) => ({ value: id, label: id }))}
          onChange={setChosen}
        />
      )}
      {agents.length > 0 && <p class="faint">The session begins with the items of the agent that are always sent.</p>}
      {parent !== undefined && agents.length > 0 && (
        <Toggle label="Take over the items of the open session first" checked={inherits} onChange={setInherits} />
      )}
    </Dialog>
  );
}

function AboutAgent({ agent: { name, mountedDirectory } }: { agent: AgentSummary }) {
  return (
    <>
      <Name>{name}</Name>
      {mountedDirectory !== undefined && (
        <>
          {' · '}
          <Name>{mountedDirectory}</Name>
        </>
      )}
    </>
  );
}
