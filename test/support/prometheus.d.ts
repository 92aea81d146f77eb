/** The package has no types of its own. Values are text, as they were written. */
declare module 'parse-prometheus-text-format' {
  type Sample = {
    labels?: Record<string, string>;
    value?: string;
    buckets?: Record<string, string>;
    count?: string;
    sum?: string;
  };
  export default function parse(
    text: string,
  ): { name: string; help: string; type: 'COUNTER' | 'GAUGE' | 'HISTOGRAM' | 'UNTYPED'; metrics: Sample[] }[];
}
