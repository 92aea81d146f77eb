import { createHash } from 'node:crypto';
import { type Embedder, type EmbedderStatus, EmbeddingFailure } from '../../src/ports/ports.ts';
import { seededRandom } from './model/seeded-random.ts';

export type FakeEmbedder = Embedder & {
  readonly dimensions: number;
  /** Texts that were embedded, in the order of the calls. */
  calls: string[][];
  identity: string;
  /** Makes every call fail with this. */
  failWith: string | undefined;
  /** Called with the texts before they are answered. */
  before: ((texts: readonly string[]) => void | Promise<void>) | undefined;
  /** Spoils the vectors of an answer. */
  spoil: ((vectors: Float32Array) => Float32Array) | undefined;
  tell(status: EmbedderStatus): void;
};

/** Vectors of 384 numbers in which texts are alike as far as they have words in common. */
export function createFakeEmbedder(): FakeEmbedder {
  const listeners: ((status: EmbedderStatus) => void)[] = [];
  let status: EmbedderStatus = { state: 'stopped' };
  const embedder: FakeEmbedder = {
    model: 'fake',
    dimensions: 384,
    calls: [],
    identity: 'first',
    failWith: undefined,
    before: undefined,
    spoil: undefined,
    isPresent: () => true,
    status: () => status,
    onChange: (listener) => listeners.push(listener),
    tell(next) {
      status = next;
      for (const listener of listeners) listener(next);
    },
    async prepare(onProgress) {
      if (embedder.failWith !== undefined) throw new EmbeddingFailure(embedder.failWith);
      onProgress(1, 1);
    },
    async embed(texts) {
      const { identity } = embedder;
      embedder.calls.push([...texts]);
      await embedder.before?.(texts);
      if (embedder.failWith !== undefined) throw new EmbeddingFailure(embedder.failWith);
      const vectors = new Float32Array(texts.length * 384);
      for (const [row, text] of texts.entries()) vectors.set(vectorOf(`${text}`, identity), row * 384);
      return { identity, dimensions: 384, vectors: embedder.spoil?.(vectors) ?? vectors };
    },
    dispose() {},
  };
  return embedder;
}

/** Of length 1. */
export function vectorOf(text: string, identity = 'first'): Float32Array {
  const sum = new Float32Array(384);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ['nothing']) {
    const seed = createHash('sha256').update(`${identity} ${word}`).digest().readUInt32LE(0);
    const random = seededRandom(seed);
    for (let at = 0; at < sum.length; at += 1) sum[at] = (sum[at] as number) + random.uniform() - 0.5;
  }
  const length = Math.sqrt(sum.reduce((squares, value) => squares + value * value, 0));
  return sum.map((value) => value / length);
}
