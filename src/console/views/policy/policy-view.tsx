import { RotateCw, ShieldCheck } from 'lucide';
import { useEffect, useRef } from 'preact/hooks';
import type { PolicyList as Policies, PolicyCheckResult, PolicyDocument } from '../../../policy/policy-requests.ts';
import { request } from '../../api/request.ts';
import { useResource } from '../../api/resource.ts';
import { Button, IconButton } from '../../elements/button.tsx';
import { EmptyState, Panel, ProblemNotice } from '../../elements/panel.tsx';
import { ResourceState } from '../../elements/resource-state.tsx';
import { countOf, FilePath } from '../../elements/text.tsx';
import { mountedDirectory as chosenDirectory, route } from '../../route.ts';
import { ChooseDirectory, OutsideRoots } from '../../shell/choose-directory.tsx';
import { CheckPath } from './check-path.tsx';
import { draftedPaths } from './drafts.ts';
import { beginPolicy, NewPolicy } from './new-policy.tsx';
import './policy.css';
import { onPolicyChanges } from './policy-events.ts';
import { PolicyPanel } from './policy-panel.tsx';
import { joinTo, nesting } from './policy-place.ts';
import { PolicyTree } from './policy-tree.tsx';
import { isBehind, withRecentChanges } from './recent-changes.ts';

/** What an AI system may see: the policies of the tree, the text of one, and its effects. */
export function PolicyView() {
  const mountedDirectory = chosenDirectory();
  if (mountedDirectory === undefined) return <ChooseDirectory />;
  return <PoliciesOf key={mountedDirectory} mountedDirectory={mountedDirectory} />;
}

/** The present policies of a tree. */
function usePolicies(mountedDirectory: string) {
  const list = useResource(
    `policies\n${mountedDirectory}`,
    async (signal) => {
      const askedAtMs = performance.now();
      return { askedAtMs, ...(await request<Policies>('/v1/policy', { query: { mountedDirectory }, signal })) };
    },
    onPolicyChanges(mountedDirectory),
  );
  useEffect(() => {
    // There is no event for a new policy in a directory that was never asked about.
    addEventListener('focus', list.reload);
    return () => removeEventListener('focus', list.reload);
  }, [list.reload]);
  const isDue = list.value !== undefined && isBehind(list.value);
  useEffect(() => {
    if (isDue) list.refresh();
  }, [isDue, list.value, list.refresh]);
  return list;
}

function PoliciesOf({ mountedDirectory }: { mountedDirectory: string }) {
  const list = usePolicies(mountedDirectory);
  const first = useRef<string>(undefined);
  if (list.value === undefined && list.problem?.code === 'path_outside_roots')
    return <OutsideRoots directory={mountedDirectory} onGranted={list.reload} />;
  if (list.value === undefined)
    return (
      <Panel title="Policies">
        <ResourceState resource={list} rows={8} />
      </Panel>
    );
  // It was named from `~`. Paths, drafts and events name it from the top.
  if (list.value.mountedDirectory !== mountedDirectory)
    return <PoliciesOf mountedDirectory={list.value.mountedDirectory} />;
  const policies = withRecentChanges(mountedDirectory, list.value);
  const asked = route.value.params.get('path');
  // The first choice stays, so that changes to this policy are visible.
  first.current ??= nesting(policies)[0]?.document.path ?? draftedPaths(mountedDirectory)[0];
  const path = asked === null ? first.current : joinTo(mountedDirectory, asked);
  return (
    <div class="policy-view">
      <div class="stack policy-aside">
        {list.problem !== undefined && <ProblemNotice problem={list.problem} onRetry={list.reload} />}
        <PolicyList policies={policies} list={list} mountedDirectory={mountedDirectory} selected={path} />
        <CheckPath mountedDirectory={mountedDirectory} />
      </div>
      <div class="policy-main">
        {path === undefined ? (
          <Panel title="Policy">
            <EmptyState title="Nothing to edit yet">
              Name a directory under “New policy in”; “.” is the mounted directory itself.
            </EmptyState>
          </Panel>
        ) : (
          <PolicyPanel
            key={path}
            place={{ mountedDirectory, path }}
            document={policies.find((each) => each.path === path)}
            reload={list.reload}
          />
        )}
      </div>
    </div>
  );
}

type PolicyListProps = {
  policies: readonly PolicyDocument[];
  list: ReturnType<typeof usePolicies>;
  mountedDirectory: string;
  selected: string | undefined;
};

function PolicyList({ policies, list, mountedDirectory, selected }: PolicyListProps) {
  return (
    <Panel
      title="Policies"
      note={countOf(policies.length, 'policy', 'policies')}
      isBusy={list.isStale}
      actions={<IconButton icon={RotateCw} label="Read the files again" onClick={list.reload} />}
    >
      <div class="stack">
        {policies.length > 0 && (
          <p class="faint">
            For each file, only the nearest policy above it decides. Policies further up have no effect.
          </p>
        )}
        <PolicyTree
          mountedDirectory={mountedDirectory}
          policies={policies}
          warnings={list.value?.warnings ?? []}
          selected={selected}
        />
        {policies.length === 0 && (
          <EmptyState
            icon={ShieldCheck}
            title="There is no policy here"
            action={
              <Button onClick={() => beginPolicy(mountedDirectory, mountedDirectory, policies)}>
                Begin a policy for the whole directory
              </Button>
            }
          >
            <WhatDecides mountedDirectory={mountedDirectory} />
          </EmptyState>
        )}
        <NewPolicy mountedDirectory={mountedDirectory} policies={policies} />
      </div>
    </Panel>
  );
}

/** What decides about a directory that has no policy. */
function WhatDecides({ mountedDirectory }: { mountedDirectory: string }) {
  const check = useResource(
    `check\n${mountedDirectory}\n.`,
    (signal) => request<PolicyCheckResult>('/v1/policy/check', { body: { mountedDirectory, paths: ['.'] }, signal }),
    onPolicyChanges(mountedDirectory),
  );
  if (check.value === undefined) return <ResourceState resource={check} rows={1} />;
  const [decision] = check.value.decisions;
  if (decision?.decidedBy && decision.reason.code.startsWith('policy_'))
    return (
      <>
        The policy <FilePath path={decision.decidedBy.path} /> decides, which is further up.
      </>
    );
  return (
    <>
      The default of the daemon decides: everything may be seen, unless it was started with{' '}
      <code>--default-policy block</code>.
    </>
  );
}
