/** The embedding model, its vectors, and the controls that prepare them (SS-03, SS-04). */
import { Download, Sparkles } from 'lucide';
import { useEffect, useState } from 'preact/hooks';
import type { EventData } from '../../../events/event.ts';
import { embeddingModels, sizeOf } from '../../../ports/embedding-model.ts';
import type { SearchStatus } from '../../../search/index-verbs.ts';
import { listen } from '../../api/events.ts';
import { request } from '../../api/request.ts';
import { useSearchStatus } from '../../api/search-status.ts';
import { Badge, type Tone } from '../../elements/badge.tsx';
import { Button } from '../../elements/button.tsx';
import { Fact } from '../../elements/fact.tsx';
import { Notice, Panel } from '../../elements/panel.tsx';
import { ResourceState } from '../../elements/resource-state.tsx';
import { count, countOf, FilePath, Name, size } from '../../elements/text.tsx';
import { attempt } from '../../elements/toasts.tsx';
import { mountedDirectory } from '../../route.ts';

type Progress = EventData['index-progress'];

const stateWords: Record<SearchStatus['state'], { text: string; tone: Tone }> = {
  stopped: { text: 'not needed now', tone: 'neutral' },
  downloading: { text: 'downloading', tone: 'accent' },
  loading: { text: 'loading', tone: 'accent' },
  ready: { text: 'ready', tone: 'good' },
  failed: { text: 'failed', tone: 'bad' },
};

/**
 * A model that was never installed is no failure, and does not start when it is needed: most users never install one.
 */
const wordsOf = ({ state, installed }: SearchStatus) =>
  (state === 'failed' || state === 'stopped') && !installed
    ? { text: 'not installed', tone: 'neutral' as const }
    : stateWords[state];

/** The size of a download, in the unit of the command line and the documents. */
const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`;

/**
 * Describes the download of a model that is not installed. The model of an embedding server always counts as installed.
 */
function downloadOf(status: SearchStatus): string {
  const model = embeddingModels.find(({ id }) => id === status.model);
  return model === undefined ? 'it' : `${megabytes(sizeOf(model))} from ${new URL(model.downloadUrl).host}`;
}

/** The last event of each job, by job id. Failed jobs stay until the next event of any job. */
function useProgress(): readonly Progress[] {
  const [jobs, setJobs] = useState<ReadonlyMap<string, Progress>>(new Map());
  useEffect(
    () =>
      listen((event) => {
        if (event === 'reconnected' || event.type === 'resync') return setJobs(new Map());
        if (event.type !== 'index-progress') return;
        const { data } = event;
        setJobs((last) => {
          const next = new Map([...last].filter(([, job]) => job.state !== 'failed'));
          if (data.state === 'finished') next.delete(data.jobId ?? '');
          else next.set(data.jobId ?? '', data);
          return next;
        });
      }),
    [],
  );
  return [...jobs.values()];
}

export function SearchPanel() {
  const status = useSearchStatus(true, ({ type, data }) => type !== 'index-progress' || data.state !== 'running');
  const told = useProgress();
  const { value } = status;
  const known = new Set(told.map(({ jobId }) => jobId));
  const running: Progress[] = (value?.jobs ?? [])
    .filter(({ jobId }) => !known.has(jobId))
    .map((job) => ({ ...job, state: 'running' }));
  // The panel shows the model's failure itself, so a job does not repeat it.
  const jobs = [...told, ...running].filter(({ state, detail }) => state !== 'failed' || detail !== value?.reason);
  return (
    <Panel title="Search by meaning" note={value && <Badge tone={wordsOf(value).tone}>{wordsOf(value).text}</Badge>}>
      <ResourceState resource={status} rows={6} />
      {value !== undefined && (
        <div class="stack">
          <dl class="facts status-facts">
            <Fact name="Model">
              <Name>{value.model}</Name>, {placeOf(value)}
            </Fact>
            <Fact name="Vectors">
              {count(value.vectors)}, {size(value.bytes)}
              {value.dimensions !== undefined && <>; {count(value.dimensions)} numbers each</>}
            </Fact>
          </dl>
          {value.reason !== undefined && (
            <Notice>
              <Name>{value.reason}</Name>
            </Notice>
          )}
          {jobs.map((job) => (
            <Job key={job.jobId} job={job} />
          ))}
          <Warm status={value} isBusy={jobs.some(({ state }) => state === 'running')} />
        </div>
      )}
    </Panel>
  );
}

function placeOf({ endpoint, installed }: SearchStatus): string {
  if (endpoint !== undefined) return `of the server ${endpoint}`;
  return installed ? 'on this machine' : 'not on this machine';
}

function Job({ job: { phase, done, total, state, detail } }: { job: Progress }) {
  const isDownload = phase === 'download';
  const what = isDownload ? 'Downloading the model' : 'Indexing';
  if (state === 'failed')
    return (
      <Notice>
        {what} failed. <Name>{detail ?? ''}</Name>
      </Notice>
    );
  const share = total === 0 ? 0 : Math.min(1, done / total);
  const amount = isDownload
    ? `${megabytes(done)} of ${megabytes(total)}`
    : `${count(done)} of ${countOf(total, 'chunk')}`;
  return (
    <div class="status-job">
      <p>
        {what}
        <span class="status-job-amount">{total === 0 ? '' : amount}</span>
      </p>
      <div
        class="status-track"
        role="progressbar"
        aria-label={what}
        aria-valuemin={0}
        aria-valuemax={100}
        {...(total === 0 ? {} : { 'aria-valuenow': Math.round(share * 100) })}
      >
        <div class="status-fill" style={{ inlineSize: `${share * 100}%` }} />
      </div>
    </div>
  );
}

/**
 * Says what it will do before the user starts it. It is the only control here that uses the network: it downloads the
 * model, or lets a server embed the texts.
 */
function Warm({ status, isBusy }: { status: SearchStatus; isBusy: boolean }) {
  const { installed, state } = status;
  const directory = mountedDirectory();
  const warm = (target: string | undefined) =>
    void attempt(() => request('/v1/search/warm', { body: target === undefined ? {} : { mountedDirectory: target } }));
  return (
    <div class="status-warm">
      <p>
        {effectOfWarming(status)}
        {directory !== undefined && (
          <>
            {' '}
            This indexes the context of <FilePath path={directory} />.
          </>
        )}
      </p>
      <div class="cluster">
        {directory !== undefined && (
          <Button icon={installed ? Sparkles : Download} disabled={isBusy} onClick={() => warm(directory)}>
            {installed ? 'Index this directory' : 'Download and index'}
          </Button>
        )}
        {!(installed && state === 'ready') && (
          <Button icon={Download} disabled={isBusy} onClick={() => warm(undefined)}>
            {installed ? 'Only load the model' : 'Only download the model'}
          </Button>
        )}
      </div>
    </div>
  );
}

function effectOfWarming(status: SearchStatus): string {
  const { endpoint, installed } = status;
  if (endpoint !== undefined)
    return `The daemon was started with an embedding server: it sends the searched texts and each question to ${endpoint}. Indexing sends the texts that are not indexed yet.`;
  if (installed)
    return 'Nothing is downloaded. The daemon loads the model and embeds, on this machine, the texts that are not indexed yet.';
  return `The daemon downloads ${downloadOf(status)}, once, and checks it. A daemon that was started with --offline or --model-dir downloads nothing.`;
}
