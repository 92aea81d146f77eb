/** Asks all sources. */
import type { World } from '../../access/world.ts';
import type { FindPlace, Found, PlannedDirectory, WorkPlace } from './source.ts';
import { contextSources } from './sources.ts';

/** The directories that apply, weakest first. One that is reached twice is kept where it is most specific. */
export function planDirectories(place: WorkPlace): PlannedDirectory[] {
  const planned = contextSources.flatMap((source) => source.plan?.(place) ?? []);
  const last = new Map(planned.map((each) => [each.directory.path, each]));
  return planned.filter((each) => last.get(each.directory.path) === each);
}

/** Single files, one source after another, so that a limit always affects the same files. */
export async function findFiles(place: FindPlace, world: World): Promise<Required<Found>> {
  const all = { candidates: [], warnings: [], evidence: [], searched: [], serverLists: [] } as Required<Found>;
  for (const source of contextSources) {
    const found = await source.find?.(place, world);
    if (found === undefined) continue;
    // Not spread into arguments: there can be more than fit.
    all.candidates = all.candidates.concat(found.candidates);
    all.warnings = all.warnings.concat(found.warnings);
    all.evidence = all.evidence.concat(found.evidence);
    all.searched = all.searched.concat(found.searched);
    all.serverLists = all.serverLists.concat(found.serverLists ?? []);
  }
  return all;
}
