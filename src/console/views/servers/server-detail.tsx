/** One server: its state, the actions it allows, its tools, and the command or address it runs. */
import { Play, RotateCw, ShieldOff, Square } from 'lucide';
import { useState } from 'preact/hooks';
import type { McpServerEntry } from '../../../mcp/server-requests.ts';
import { request } from '../../api/request.ts';
import { Badge } from '../../elements/badge.tsx';
import { Button } from '../../elements/button.tsx';
import { Confirm } from '../../elements/dialog.tsx';
import { Notice, Panel } from '../../elements/panel.tsx';
import { Ago, FilePath, Name } from '../../elements/text.tsx';
import { attempt, notify } from '../../elements/toasts.tsx';
import { Approval, approve } from './approval.tsx';
import { Dangers, Definition } from './definition.tsx';
import { stateWords, wordsOfReason } from './server-words.ts';
import { ToolsPanel } from './tools-panel.tsx';

type DetailProps = { server: McpServerEntry; onChanged: () => void };

export function ServerDetail({ server, onChanged }: DetailProps) {
  const isApproved = server.approvedAt !== undefined;
  const { text, tone } = stateWords[server.state];
  return (
    <div class="stack servers-detail" data-approved={isApproved}>
      <Panel
        class="servers-head"
        title={<Name>{server.name}</Name>}
        note={<Badge tone={tone}>{text}</Badge>}
        actions={<Actions server={server} onChanged={onChanged} />}
      >
        <p class={server.state === 'failed' ? 'servers-failure' : undefined}>
          <Name>{wordsOfReason(server)}</Name>
        </p>
        {server.approvedAt !== undefined && (
          <p class="faint">
            Approved <Ago time={server.approvedAt} /> in its current form.
          </p>
        )}
        {server.state === 'disabled' && (
          <Notice tone="info">
            To use it, enable it in <FilePath path={server.definedIn} />.
          </Notice>
        )}
      </Panel>
      {!isApproved && server.state !== 'disabled' && <Approval server={server} onChanged={onChanged} />}
      {isApproved && <ToolsPanel server={server} />}
      {(isApproved || server.state === 'disabled') && (
        <Panel title="What runs">
          <div class="stack">
            <Dangers server={server} />
            <Definition server={server} />
          </div>
        </Panel>
      )}
    </div>
  );
}

function Actions({ server, onChanged }: DetailProps) {
  const [busy, setBusy] = useState<string>();
  const [isAsked, setIsAsked] = useState(false);
  const { id, name, state, approvedAt, approvedFingerprint, fingerprint } = server;
  const isPresent = approvedFingerprint === fingerprint;
  const act = async (what: string, work: () => Promise<unknown>) => {
    setBusy(what);
    await attempt(work);
    setBusy(undefined);
    onChanged();
  };
  const run = (verb: 'start' | 'stop' | 'restart') =>
    void act(verb, () => request<McpServerEntry>(`/v1/mcp/servers/${id}/${verb}`, { body: {} }));
  const revoke = () =>
    void act('revoke', async () => {
      await request(`/v1/mcp/approvals/${approvedFingerprint}`, { method: 'DELETE' });
      notify(
        `“${name}” is no longer approved.`,
        isPresent
          ? async () => {
              await approve({ fingerprint });
              onChanged();
            }
          : undefined,
      );
    });
  const isRunning = state === 'ready' || state === 'starting';
  return (
    <>
      {approvedAt !== undefined && state !== 'disabled' && !isRunning && (
        <Button kind="primary" icon={Play} disabled={busy !== undefined} onClick={() => run('start')}>
          {busy === 'start' ? 'Starting' : 'Start'}
        </Button>
      )}
      {isRunning && (
        <>
          <Button icon={RotateCw} disabled={busy !== undefined} onClick={() => run('restart')}>
            {busy === 'restart' ? 'Restarting' : 'Restart'}
          </Button>
          <Button icon={Square} disabled={busy !== undefined && busy !== 'start'} onClick={() => run('stop')}>
            {busy === 'stop' ? 'Stopping' : 'Stop'}
          </Button>
        </>
      )}
      {approvedFingerprint !== undefined && (
        <Button
          icon={ShieldOff}
          disabled={busy !== undefined}
          onClick={() => (isPresent ? revoke() : setIsAsked(true))}
        >
          Revoke
        </Button>
      )}
      {isAsked && (
        <Confirm
          title={`Revoke the approval of “${name}”?`}
          deed="Revoke"
          onConfirm={revoke}
          onClose={() => setIsAsked(false)}
        >
          <p>
            The approved definition no longer exists, so you cannot approve it again. What changed since then will no
            longer be shown.
          </p>
        </Confirm>
      )}
    </>
  );
}
