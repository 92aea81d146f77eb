/** The state of the daemon: figures, search, granted directories, tokens, and events (SY-01, SY-03). */
import './status.css';
import type { Status } from '../../../../routes/status.ts';
import { usePolling } from '../../api/polling.ts';
import { request } from '../../api/request.ts';
import { useResource } from '../../api/resource.ts';
import { Panel, ProblemNotice, Skeleton } from '../../elements/panel.tsx';
import { countOf } from '../../elements/text.tsx';
import { WarningList } from '../../elements/warnings.tsx';
import { EventLog } from './event-log.tsx';
import { Figures } from './figures.tsx';
import { ProcessPanel } from './process-panel.tsx';
import { RootsPanel } from './roots-panel.tsx';
import { SearchPanel } from './search-panel.tsx';
import { TokensPanel } from './tokens-panel.tsx';

const everyMs = 2_500;

export function StatusView() {
  const { value, problem, reload, refresh } = useResource('status', (signal) =>
    request<Status>('/v1/status', { signal }),
  );
  usePolling(refresh, everyMs);
  return (
    <div class="status">
      {problem !== undefined && (
        <div class="status-wide">
          <ProblemNotice problem={problem} onRetry={reload} />
        </div>
      )}
      {value !== undefined && value.warnings.length > 0 && (
        <Panel class="status-wide" title="Warnings" note={countOf(value.warnings.length, 'warning')}>
          <WarningList warnings={value.warnings} />
        </Panel>
      )}
      <section class="status-wide" aria-label="Figures">
        {value === undefined ? problem === undefined && <FiguresSkeleton /> : <Figures status={value} />}
      </section>
      <EventLog />
      <SearchPanel />
      <RootsPanel />
      <TokensPanel />
      {value === undefined ? (
        <Panel title="Daemon">
          <Skeleton rows={10} />
        </Panel>
      ) : (
        <ProcessPanel status={value} />
      )}
    </div>
  );
}

function FiguresSkeleton() {
  return (
    <div class="status-figures">
      {Array.from({ length: 8 }, (_, index) => (
        <div key={index} class="status-figure">
          <Skeleton rows={2} />
        </div>
      ))}
    </div>
  );
}
