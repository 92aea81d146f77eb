import { type Embedder, type EmbedderStatus, EmbeddingFailure } from '../../ports/ports.ts';

/** Downloads missing or damaged files of the model. Rejects with a sentence for people. */
export type FetchModel = (options: {
  signal: AbortSignal;
  onProgress: (done: number, total: number) => void;
}) => Promise<void>;

/** An embedder that downloads its model only if it is asked to prepare (SS-03). */
export function createFetchingEmbedder(inner: Embedder, fetchModel: FetchModel): Embedder {
  const listeners: ((status: EmbedderStatus) => void)[] = [];
  const waiting = new Set<(done: number, total: number) => void>();
  const disposed = new AbortController();
  /** The status of the download, until the inner embedder has another status. */
  let ofDownload: EmbedderStatus | undefined;
  let fetching: Promise<void> | undefined;

  const tell = (status: EmbedderStatus): void => {
    for (const listener of listeners) listener(status);
  };
  const enter = (status: EmbedderStatus): void => {
    ofDownload = status;
    tell(status);
  };
  inner.onChange((status) => {
    // During a download it is normal that the model is missing.
    if (fetching !== undefined) return;
    ofDownload = undefined;
    tell(status);
  });

  const fetchFiles = async (): Promise<void> => {
    enter({ state: 'downloading' });
    const onProgress = (done: number, total: number): void => {
      for (const listener of waiting) listener(done, total);
    };
    try {
      await fetchModel({ signal: disposed.signal, onProgress });
      enter({ state: 'stopped' });
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error);
      enter({ state: 'failed', detail });
      throw new EmbeddingFailure(detail);
    } finally {
      fetching = undefined;
      waiting.clear();
    }
  };
  const fetchOnce = (onProgress: (done: number, total: number) => void): Promise<void> => {
    waiting.add(onProgress);
    fetching ??= fetchFiles();
    return fetching;
  };

  return {
    ...inner,
    status: () => ofDownload ?? inner.status(),
    onChange: (listener) => listeners.push(listener),
    async prepare(onProgress) {
      if (fetching !== undefined || !inner.isPresent()) await fetchOnce(onProgress);
      try {
        await inner.prepare(onProgress);
      } catch (error) {
        // Damaged files are downloaded again; intact files stay.
        await fetchOnce(onProgress).catch((refusal: Error) => {
          const detail = `${error instanceof Error ? error.message : String(error)} ${refusal.message}`;
          enter({ state: 'failed', detail });
          throw new EmbeddingFailure(detail);
        });
        await inner.prepare(onProgress);
      }
    },
    dispose() {
      disposed.abort();
      inner.dispose();
    },
  };
}
