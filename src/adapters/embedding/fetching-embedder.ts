import { type Embedder, type EmbedderStatus, EmbeddingFailure } from '../../ports/ports.ts';

/** Fetches what is missing or damaged of the model; rejects with a sentence for people. */
export type FetchModel = (options: {
  signal: AbortSignal;
  onProgress: (done: number, total: number) => void;
}) => Promise<void>;

/** An embedder whose model is downloaded when it is asked to get ready, and never otherwise (SS-03). */
export function createFetchingEmbedder(inner: Embedder, fetchModel: FetchModel): Embedder {
  const listeners: ((status: EmbedderStatus) => void)[] = [];
  const waiting = new Set<(done: number, total: number) => void>();
  const disposed = new AbortController();
  /** What there is to say about the download; it holds until something else happens. */
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
    // That the model is not there is no news while it is fetched.
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
        // Files that are damaged are fetched again; those that are whole stay.
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
