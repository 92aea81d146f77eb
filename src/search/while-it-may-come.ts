/** Waits for what is being indexed, as long as it can come in time. */

type WaitOptions = {
  /** No longer than this. */
  limitMs: number;
  /** How often it looks how far it is. */
  lookMs: number;
  /** How much is yet to come; undefined while that is not known. */
  comingOf(): Promise<number | undefined>;
};

/** What comes in slices is judged by few of them: at twice the speed so far it would have to be late, too. */
const benefit = 2;

/** The result, or undefined when it takes longer, or will; the work goes on. */
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
