import { useEffect, useState } from 'preact/hooks';
import type { PathDecision, PolicyCheckResult } from '../../../policy/policy-requests.ts';
import { useFiles } from '../../api/files.ts';
import { request } from '../../api/request.ts';
import { useResource } from '../../api/resource.ts';
import { Badge } from '../../elements/badge.tsx';
import { Panel, ProblemNotice } from '../../elements/panel.tsx';
import { SuggestingInput } from '../../elements/suggesting-input.tsx';
import { FilePath, Name } from '../../elements/text.tsx';
import { relativeTo } from '../../paths.ts';
import { route, setParams } from '../../route.ts';
import { onPolicyChanges } from './policy-events.ts';
import { showPolicy } from './policy-place.ts';

/** Shows whether a file may be seen, and what decides. */
export function CheckPath({ mountedDirectory }: { mountedDirectory: string }) {
  const asked = route.value.params.get('check') ?? undefined;
  const [typed, setTyped] = useState<string>();
  const [isAsked, setIsAsked] = useState(false);
  useEffect(() => setTyped(undefined), [mountedDirectory]);
  const text = typed ?? asked ?? '';
  const found = useFiles(isAsked ? { mountedDirectory, query: text, limit: 30 } : undefined).value;
  const check = useResource(
    asked === undefined ? undefined : `check\n${mountedDirectory}\n${asked}`,
    (signal) => request<PolicyCheckResult>('/v1/policy/check', { body: { mountedDirectory, paths: [asked] }, signal }),
    onPolicyChanges(mountedDirectory),
  );
  const decision = asked === undefined ? undefined : check.value?.decisions[0];
  return (
    <Panel title="Check a path" isBusy={check.isLoading && check.isStale}>
      <div class="stack" onFocusIn={() => setIsAsked(true)}>
        <div data-main-field>
          <SuggestingInput
            label="May an AI system see this file?"
            placeholder="A path; the file need not exist"
            inputClass="mono"
            value={text}
            onInput={setTyped}
            onCommit={(path) => {
              setTyped(undefined);
              setParams({ check: path.trim() === '' ? undefined : path.trim() });
              check.reload();
            }}
            suggestions={(found?.files ?? []).map(({ relativePath }) => ({
              value: relativePath,
              label: <FilePath path={relativePath} />,
            }))}
          />
        </div>
        {check.problem !== undefined && asked !== undefined && (
          <ProblemNotice problem={check.problem} onRetry={check.reload} />
        )}
        {decision !== undefined && !check.isStale && (
          <div role="status">
            <Decision mountedDirectory={mountedDirectory} decision={decision} />
          </div>
        )}
      </div>
    </Panel>
  );
}

type DecisionProps = {
  mountedDirectory: string;
  decision: PathDecision;
  change?: boolean;
};

/** One file: whether it may be seen, and what decides, with a link to the line. */
export function Decision({ mountedDirectory, decision, change }: DecisionProps) {
  const { path, allowed, reason, decidedBy } = decision;
  const verb = `${change === true ? 'newly ' : ''}${allowed ? 'allowed' : 'blocked'}`;
  return (
    <div class="policy-decision">
      <Badge tone={allowed ? 'good' : 'bad'}>{verb}</Badge>
      <div class="policy-decision-text">
        <FilePath path={relativeTo(mountedDirectory, path)} />
        <p class="faint">
          {decidedBy === null || reason.code === 'blocked_by_ignore_file' ? (
            <Name>{words(reason)}</Name>
          ) : (
            <>
              {decidedBy.pattern === undefined ? (
                words({ code: reason.code })
              ) : (
                <>
                  exception{' '}
                  <code>
                    <Name>{decidedBy.pattern}</Name>
                  </code>
                </>
              )}{' '}
              in{' '}
              <button
                type="button"
                class="policy-link"
                onClick={() => showPolicy({ mountedDirectory, path: decidedBy.path }, decidedBy.line ?? 1)}
              >
                <FilePath path={relativeTo(mountedDirectory, decidedBy.path)} />
                {decidedBy.line !== undefined && `, line ${decidedBy.line}`}
              </button>
            </>
          )}
        </p>
      </div>
    </div>
  );
}

function words({ code, detail }: PathDecision['reason']): string {
  const known = wordsOf[code];
  if (known === undefined) return detail ?? code.replaceAll('_', ' ');
  return detail === undefined ? known : `${known}: ${detail}`;
}

const wordsOf: Record<string, string> = {
  policy_allow: 'the policy allows',
  policy_block: 'the policy blocks',
  policy_invalid: 'the policy cannot be used, so the file is blocked',
  blocked_by_ignore_file: 'an ignore file leaves it out',
  sensitive: 'sensitive, never delivered',
  configuration: 'a configuration, never delivered',
};
