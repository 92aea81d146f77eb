/** What `work` gives; undefined where it takes longer, as on a mount whose server is gone. */
export async function within<Result>(ms: number, work: Promise<Result>): Promise<Result | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    // What was there in time is told first, also where the event loop was held so long.
    timer = setTimeout(() => setImmediate(resolve, undefined), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
