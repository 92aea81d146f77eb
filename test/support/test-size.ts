/**
 * How much a test that can be run at any size does: `perCommit`, or `release` with `CONTEXTD_LONG=1`, or with a number
 * between so much of the way there.
 */
export function sized(perCommit: number, release: number): number {
  const share = Number(process.env.CONTEXTD_LONG ?? 0);
  if (!(share >= 0 && share <= 1)) throw new Error('CONTEXTD_LONG must be a number from 0 to 1.');
  return Math.round(perCommit + (release - perCommit) * share);
}
