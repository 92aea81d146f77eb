/** Several verbs in one transaction: all or none. */
export interface Transactions<Writer> {
  /**
   * Runs `work` in a serializable transaction, and resolves when it is durable. The verbs of `writer` see what earlier
   * ones wrote; others see it after the commit. If `work` throws or a verb fails, everything is rolled back. The store
   * may run `work` more than once, so it must have no effect except through `writer`. Inside, use only `writer`: a verb
   * of the store itself may wait for the end of this transaction. If `work` takes too long, it is rolled back and
   * rejected with `unavailable`, and `writer` can no longer be used.
   */
  write<Result>(work: (writer: Writer) => Promise<Result>): Promise<Result>;
}
