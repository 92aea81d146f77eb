/**
 * The text format of Prometheus (0.0.4). This is our own code, because a library has its own counters. Everything is
 * counted already, and formatting it takes fewer lines than copying it into these counters.
 */

export type Sample = { value: number; labels?: Readonly<Record<string, string>> };

/** Samples of a histogram are made by `histogramSamples`; all others have the name of their family. */
export type Family = {
  name: string;
  help: string;
  type: 'counter' | 'gauge' | 'histogram';
  samples: readonly (Sample & { suffix?: '_bucket' | '_sum' | '_count' })[];
};

export const metricsContentType = 'text/plain; version=0.0.4; charset=utf-8';

/** Writes one family after the other. Families without samples are left out. */
export function formatMetrics(families: readonly Family[]): string {
  return families
    .filter(({ samples }) => samples.length > 0)
    .map(({ name, help, type, samples }) => {
      const lines = samples.map(
        ({ suffix = '', labels = {}, value }) => `${name}${suffix}${formatLabels(labels)} ${value}`,
      );
      return `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${type}\n${lines.join('\n')}\n`;
    })
    .join('');
}

/** `buckets` count each value once. There is one more of them than `bounds`. The format has cumulative counts. */
export function histogramSamples(
  labels: Readonly<Record<string, string>>,
  measured: { bounds: readonly number[]; buckets: readonly number[]; sum: number },
): Family['samples'] {
  let count = 0;
  const buckets = measured.buckets.map((added, at) => {
    count += added;
    return {
      suffix: '_bucket' as const,
      labels: { ...labels, le: String(measured.bounds[at] ?? '+Inf') },
      value: count,
    };
  });
  return [...buckets, { suffix: '_sum', labels, value: measured.sum }, { suffix: '_count', labels, value: count }];
}

function formatLabels(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => {
    const escaped = value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
    return `${name}="${escaped}"`;
  });
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}
