import './workspace.css';
import { useRef } from 'preact/hooks';
import type { ResolveResult } from '../../../context/resolve-result.ts';
import { request } from '../../api/request.ts';
import { useResource } from '../../api/resource.ts';
import { Panel, ProblemNotice, Skeleton } from '../../elements/panel.tsx';
import { WarningsPanel } from '../../elements/warnings-panel.tsx';
import { route } from '../../route.ts';
import { ChooseDirectory, OutsideRoots } from '../../shell/choose-directory.tsx';
import { BudgetPanel } from './budget-panel.tsx';
import { ConfigurationPanel } from './configuration-panel.tsx';
import { ExplainDrawer } from './explain-drawer.tsx';
import { FormatChangeDialog } from './format-change.tsx';
import { switchOf, useFormats } from './formats-here.ts';
import { ResolutionPanel } from './resolution-panel.tsx';
import { WorkspaceControls } from './workspace-controls.tsx';
import { concernsResolution, requestOf, resolutionEvents } from './workspace-request.ts';

/** The context that applies to a piece of work, as a model would get it, and the reasons. */
export function WorkspaceView() {
  const { params } = route.value;
  const asked = requestOf(params);
  const latest = useRef<ResolveResult>(undefined);
  const warnings = useRef<HTMLDivElement>(null);
  const { value, problem, isStale, reload } = useResource(
    asked === undefined ? undefined : JSON.stringify(asked),
    (signal) => request<ResolveResult>('/v1/context/resolve', { body: { ...asked, content: true }, signal }),
    { events: resolutionEvents, concerns: (event) => concernsResolution(event, asked, latest.current) },
  );
  latest.current = value;
  const isByTool = params.get('by') === 'tool';
  const formats = useFormats(isByTool ? asked : undefined, value);
  if (asked === undefined) return <ChooseDirectory />;
  const isOutside =
    problem?.code === 'path_outside_roots' && problem.errors.some(({ pointer }) => pointer === '/mountedDirectory');
  if (isOutside) return <OutsideRoots directory={asked.mountedDirectory} onGranted={reload} />;
  const explained = params.get('explain');
  const change = switchOf(params);
  return (
    <div class="workspace">
      <WorkspaceControls
        key={asked.mountedDirectory}
        mountedDirectory={asked.mountedDirectory}
        result={value}
        problem={problem}
      />
      {problem !== undefined && <ProblemNotice problem={problem} onRetry={reload} />}
      {value === undefined ? (
        problem === undefined && <LoadingPanels />
      ) : (
        <div class="workspace-panels">
          <BudgetPanel result={value} max={asked.budget?.maxTokens} />
          <ResolutionPanel
            result={value}
            isStale={isStale}
            formats={isByTool ? formats : undefined}
            onShowWarnings={() => {
              warnings.current?.scrollIntoView();
              warnings.current?.focus();
            }}
          />
          <div class="workspace-rest stack">
            <div ref={warnings} tabIndex={-1}>
              <WarningsPanel warnings={value.warnings} />
            </div>
            <ConfigurationPanel result={value} />
          </div>
        </div>
      )}
      {explained !== null && <ExplainDrawer path={explained} asked={asked} result={isStale ? undefined : value} />}
      {explained === null && change !== undefined && (
        <FormatChangeDialog change={change} asked={asked} result={value} />
      )}
    </div>
  );
}

function LoadingPanels() {
  return (
    <div class="workspace-panels">
      <Panel class="workspace-budget" title="Budget">
        <Skeleton rows={5} />
      </Panel>
      <Panel class="workspace-resolution" title="Context">
        <Skeleton rows={16} />
      </Panel>
    </div>
  );
}
