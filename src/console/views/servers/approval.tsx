/** Shows a definition, and approves exactly that definition (MC-02, S-19). */
import { ShieldCheck } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ApprovalRequest, McpServerEntry } from '../../../mcp/server-requests.ts';
import { asProblem, type Problem, request } from '../../api/request.ts';
import { Button } from '../../elements/button.tsx';
import { Notice, Panel, ProblemNotice } from '../../elements/panel.tsx';
import { Name } from '../../elements/text.tsx';
import { notify } from '../../elements/toasts.tsx';
import { Changes, Dangers, Definition } from './definition.tsx';
import { wordsOfReason } from './server-words.ts';

export function approve(body: ApprovalRequest): Promise<McpServerEntry> {
  return request<McpServerEntry>('/v1/mcp/approvals', { body });
}

/**
 * Keeps showing the first definition: a new definition is offered, and never replaces the one above the button
 * silently. The button is at the end of the text that the user must read.
 */
export function Approval({ server, onChanged }: { server: McpServerEntry; onChanged: () => void }) {
  const [shown, setShown] = useState(server);
  /** `waiting`: for the present definition, after the shown one was refused. */
  const [refusal, setRefusal] = useState<'waiting' | 'shown'>();
  const [problem, setProblem] = useState<Problem>();
  const [isBusy, setIsBusy] = useState(false);
  const isOld = server.fingerprint !== shown.fingerprint;
  useEffect(() => {
    if (refusal !== 'waiting' || !isOld) return;
    setShown(server);
    setRefusal('shown');
  }, [refusal, isOld, server]);

  const allow = async () => {
    setIsBusy(true);
    setProblem(undefined);
    try {
      await approve({ fingerprint: shown.fingerprint });
      notify(`“${shown.name}” is approved as shown.`);
      setRefusal(undefined);
    } catch (error) {
      const problem = asProblem(error);
      if (problem.code === 'approval_stale') setRefusal('waiting');
      else setProblem(problem);
    }
    setIsBusy(false);
    onChanged();
  };

  return (
    <Panel title={shown.changes === undefined ? 'Approve what would run' : 'Approve what changed'}>
      <div class="stack">
        {refusal !== undefined && (
          <Notice>
            Nothing was approved, because the definition changed after it was shown. Below is the current definition.
            Read it again.
          </Notice>
        )}
        <p class="servers-explanation">
          This server does not run until you approve it. Then exactly what is shown here runs, with your rights on this
          machine. If an argument, a variable or a script changes, you are asked again.
        </p>
        <Dangers server={shown} />
        <Changes changes={shown.changes ?? []} />
        <Definition server={shown} />
        {isOld && refusal !== 'waiting' && (
          <ChangedMeanwhile
            onShow={() => {
              setShown(server);
              setRefusal(undefined);
            }}
          >
            The definition changed while it was shown here. This one cannot be approved any more.
          </ChangedMeanwhile>
        )}
        {problem !== undefined && <ProblemNotice problem={problem} />}
        {shown.approvable ? (
          <Decision
            of="this definition"
            fingerprint={shown.fingerprint}
            deed="Allow exactly this"
            disabled={isBusy || isOld}
            onClick={() => void allow()}
          />
        ) : (
          <Notice>
            This cannot be approved. <Name>{wordsOfReason(shown)}</Name>
          </Notice>
        )}
      </div>
    </Panel>
  );
}

type DecisionProps = { of: string; fingerprint: string; deed: string; disabled: boolean; onClick: () => void };

/** The fingerprint of exactly what is shown, and the button that approves it. */
export function Decision({ of, fingerprint, deed, disabled, onClick }: DecisionProps) {
  return (
    <div class="servers-decision">
      <p class="servers-hash">
        <span class="faint">Fingerprint of {of}</span> <code>{fingerprint}</code>
      </p>
      <Button kind="primary" icon={ShieldCheck} disabled={disabled} onClick={onClick}>
        {deed}
      </Button>
    </div>
  );
}

/** The shown definition is no longer the present one. */
export function ChangedMeanwhile({ children, onShow }: { children: ComponentChildren; onShow: () => void }) {
  return (
    <Notice
      action={
        <Button kind="quiet" onClick={onShow}>
          Show the current definition
        </Button>
      }
    >
      {children}
    </Notice>
  );
}
