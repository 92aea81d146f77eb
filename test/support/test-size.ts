const asked = process.env.CONTEXTD_LONG;
const share = Number(asked ?? 0);

/**
 * How much a test that can be run at any size does: `perCommit` with `CONTEXTD_LONG=0`, as `.ci/run` has it; `release` with 1,
 * or with a number between so much of the way there. Without it, at somebody's desk, `quick`.
 */
export function sized(perCommit: number, release: number, quick = perCommit): number {
  if (!(share >= 0 && share <= 1)) throw new Error('CONTEXTD_LONG must be a number from 0 to 1.');
  return asked === undefined ? quick : Math.round(perCommit + (release - perCommit) * share);
}

/** Whether nothing else runs beside the tests, so that times can be held: `npm run torture`. */
export const isTorture = share > 0;
