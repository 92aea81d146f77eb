/** The result of `work`. Undefined if it takes longer than `ms`, for example on a mount whose server is gone. */
export async function within<Result>(ms: number, work: Promise<Result>): Promise<Result | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    // If the event loop was blocked, a result that came in time still goes first.
    timer = setTimeout(() => setImmediate(resolve, undefined), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The result of `work`. Throws what `late` makes if it takes longer than `ms`. */
export async function demandWithin<Result>(ms: number, work: Promise<Result>, late: () => Error): Promise<Result> {
  const done = await within(
    ms,
    work.then((result) => ({ result })),
  );
  if (done === undefined) throw late();
  return done.result;
}
