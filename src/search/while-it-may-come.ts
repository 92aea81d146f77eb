/** Waits for work that is being indexed, as long as it can still be done in time. */

type WaitOptions = {
  /** The longest wait. */
  limitMs: number;
  /** How often to check the progress. */
  lookMs: number;
  /** How much is still missing. Undefined while that is not known. */
  comingOf(): Promise<number | undefined>;
};

/**
 * The speed is known from a few slices only. So the work counts as late only if it would be late even at twice that
 * speed.
 */
const benefit = 2;

/** The result, or undefined if the work takes longer than the limit or surely will. The work goes on then. */
export async function whileItMayCome<Result>(work: Promise<Result>, options: WaitOptions): Promise<Result | undefined> {
  const { limitMs, lookMs, comingOf } = options;
  const startMs = performance.now();
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  let first: { atMs: number; coming: number } | undefined;
  const look = async (): Promise<void> => {
    const coming = await comingOf();
    const atMs = performance.now();
    if (coming === undefined) return;
    first ??= { atMs, coming };
    const came = first.coming - coming;
    const mayComeMs = (coming * (atMs - first.atMs)) / (benefit * came);
    if (came > 0 && atMs + mayComeMs > startMs + limitMs) resolve(undefined);
  };
  work.catch(() => {});
  const limit = setTimeout(() => resolve(undefined), limitMs);
  const looks = setInterval(() => void look().catch(() => {}), lookMs);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(limit);
    clearInterval(looks);
  }
}
