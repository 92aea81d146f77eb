import type { Resource } from '../api/resource.ts';
import { ProblemNotice, Skeleton } from './panel.tsx';

type ResourceStateProps = {
  resource: Pick<Resource<unknown>, 'value' | 'problem' | 'reload'>;
  /** About the number of lines of the answer. */
  rows: number;
};

/** Why there is no newer answer. Without any answer, grey bars until it comes. */
export function ResourceState({ resource: { value, problem, reload }, rows }: ResourceStateProps) {
  if (problem !== undefined) return <ProblemNotice problem={problem} onRetry={reload} />;
  return value === undefined ? <Skeleton rows={rows} /> : null;
}
