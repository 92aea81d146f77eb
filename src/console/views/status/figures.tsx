/** The state of the daemon in numbers that update in place. */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Status } from '../../../../routes/status.ts';
import { count, countOf, moment, size } from '../../elements/text.tsx';
import { Sparkline } from './sparkline.tsx';

type Sample = { memory: number; delayMs: number; requests: number };

const keptSamples = 240;

/** The samples of one run of the daemon, collected since the view was opened. */
function useSamples(status: Status): readonly Sample[] {
  const [kept, setKept] = useState<{ run: string; samples: readonly Sample[] }>({ run: '', samples: [] });
  useEffect(() => {
    const { instanceId, memory, eventLoop, requests } = status;
    const sample = { memory: memory.rssBytes, delayMs: eventLoop.p99Ms, requests: requests.total };
    setKept(({ run, samples }) => ({
      run: instanceId,
      samples: run === instanceId ? [...samples.slice(1 - keptSamples), sample] : [sample],
    }));
  }, [status]);
  return kept.samples;
}

export function Figures({ status }: { status: Status }) {
  const samples = useSamples(status);
  const { memory, eventLoop, requests, streams, watching, storage, uptimeSeconds, startedAt } = status;
  const memories = samples.map((sample) => sample.memory);
  const perPoll = samples.slice(1).map((sample, index) => sample.requests - (samples[index]?.requests ?? 0));
  return (
    <dl class="status-figures">
      <Figure
        name="Memory"
        value={size(memory.rssBytes)}
        more={`heap ${size(memory.heapUsedBytes)} of ${size(memory.heapTotalBytes)}`}
      >
        <Sparkline
          values={memories}
          from={Math.min(...memories, memory.rssBytes) * 0.9}
          label="Memory since the view was opened"
        />
      </Figure>
      <Figure
        name="Event loop delay"
        value={`${fixed(eventLoop.p99Ms)} ms`}
        more={`99th percentile; longest so far ${fixed(eventLoop.longestMs)} ms`}
      >
        <Sparkline
          values={samples.map((sample) => sample.delayMs)}
          label="Delay of the event loop since the view was opened"
        />
      </Figure>
      <Figure
        name="Requests"
        value={count(requests.total)}
        more={`half within ${fixed(requests.p50Ms)} ms, 99 of 100 within ${fixed(requests.p99Ms)} ms`}
      >
        <Sparkline values={perPoll} label="Requests since the view was opened" />
      </Figure>
      <Figure name="Uptime" value={duration(uptimeSeconds)} more={`since ${moment(new Date(startedAt))}`} />
      <Figure
        name="Answers"
        value={`${count(requests.failed + requests.shed)} failed`}
        more={`${count(requests.refused)} refused, ${count(requests.aborted)} aborted by clients, ${count(requests.inFlight)} under way`}
        isBad={requests.failed + requests.shed > 0}
      />
      <Figure
        name="Event streams"
        value={`${count(streams.open)} of ${count(streams.most)}`}
        more={`${countOf(streams.published, 'event')}, ${count(streams.dropped)} not read in time`}
      />
      <Figure
        name="Watched"
        value={countOf(watching.directories, 'directory', 'directories')}
        more={watching.degraded === undefined ? 'changes are reported at once' : degradedWords[watching.degraded]}
        isBad={watching.degraded !== undefined}
      />
      <Figure
        name="Stored"
        value={size(storage.databaseBytes + storage.journalBytes)}
        more={
          storage.rows === undefined
            ? 'the database cannot be read'
            : `${countOf(storage.rows.agents, 'agent')}, ${countOf(storage.rows.sessions, 'session')}`
        }
        isBad={storage.rows === undefined}
      />
    </dl>
  );
}

const degradedWords = {
  polling: 'the system has no more watches; contextd checks every few seconds',
  too_many_directories: 'there are too many directories to watch; some changes are not reported',
};

type FigureProps = {
  name: string;
  value: string;
  more: ComponentChildren;
  isBad?: boolean;
  children?: ComponentChildren;
};

function Figure({ name, value, more, isBad = false, children }: FigureProps) {
  return (
    <div class="status-figure">
      <dt>{name}</dt>
      <dd>
        <span class="status-value" data-bad={isBad}>
          {value}
        </span>
        <span class="status-more">{more}</span>
        {children}
      </dd>
    </div>
  );
}

/** Has the same width from 0.0 to 99.9, so that the layout does not shift. */
function fixed(milliseconds: number): string {
  return milliseconds < 100 ? milliseconds.toFixed(1) : count(Math.round(milliseconds));
}

/** `93784` → `1 d 2 h`: the two largest parts, the largest first. */
function duration(seconds: number): string {
  const parts: [number, string][] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3_600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [Math.floor(seconds) % 60, 's'],
  ];
  const first = parts.findIndex(([amount]) => amount > 0);
  const from = first < 0 ? 3 : first;
  return parts
    .slice(from, from + 2)
    .map(([amount, unit]) => `${amount} ${unit}`)
    .join(' ');
}
