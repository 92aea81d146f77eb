/** Several verbs as one: all of them or none. */
export interface Transactions<Writer> {
  /**
   * Runs `work` in a transaction, as if no other ran meanwhile, and resolves when it is durable. The verbs of `writer` see
   * what those before them wrote; nobody else does before the commit. When `work` throws or a verb fails, nothing of it
   * remains. The store may run `work` more than once, so it must have no effect but by `writer`. Inside, use only
   * `writer`: a verb of the store itself may wait for the end of this transaction. `work` that takes too long is ended,
   * undone and rejected with `unavailable`; `writer` is of no use afterwards.
   */
  write<Result>(work: (writer: Writer) => Promise<Result>): Promise<Result>;
}
