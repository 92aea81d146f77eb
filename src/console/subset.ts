/** A choice of several values in one parameter of the address, such as `scopes=global,static`. */
import { route, setParams } from './route.ts';

type Subset<Value extends string> = { param: string; all: readonly Value[] };

/** The chosen values. All of them if the address names none that is known. */
export function chosenIn<Value extends string>(
  params: URLSearchParams,
  { param, all }: Subset<Value>,
): readonly Value[] {
  const named = (params.get(param) ?? '').split(',');
  const known = all.filter((value) => named.includes(value));
  return known.length === 0 ? all : known;
}

/** Adds a value to the chosen ones, or takes it away. None at all would leave nothing to show, so it means all again. */
export function toggleIn<Value extends string>(subset: Subset<Value>, value: Value): void {
  const { param, all } = subset;
  const chosen = chosenIn(route.peek().params, subset);
  const next = all.filter((each) => chosen.includes(each) !== (each === value));
  setParams({ [param]: next.length === all.length ? undefined : next.join(',') });
}
