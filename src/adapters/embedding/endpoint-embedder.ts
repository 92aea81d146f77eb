/**
 * `Embedder` through a server with the OpenAI interface that the user named (SS-09): Ollama, llama.cpp, LM Studio,
 * vLLM, a service. Masks known forms of secrets before sending. A failing server costs one answer, never the daemon.
 */
import { hash } from 'node:crypto';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { prefixesOf } from '../../ports/embedding-model.ts';
import { type Embedder, EmbeddingFailure, type Embeddings, type TextUse } from '../../ports/ports.ts';
import { fixedLimits } from '../../settings.ts';
import { findSecrets } from '../../texts/find-secrets.ts';
import { maskSecrets } from '../../texts/mask.ts';
import { createStatus } from './embedder-status.ts';
import { EndpointFailure, postJson } from './endpoint-request.ts';
import { type EndpointVectors, maxBytesOf, readVectors } from './endpoint-vectors.ts';

export type EndpointOptions = {
  /** The address of `embeddings`. */
  url: URL;
  /** The model's name on the server. */
  model: string;
  key?: string | undefined;
  /** The time limit for one whole request. */
  requestMs?: number;
  /** Delays before the retries of a request whose failure may be temporary. */
  retriesMs?: readonly number[];
  /** After a failure, the time without requests. */
  pauseMs?: number;
};

/** Vectors of different spaces cannot be compared. `checkedAtMs`: on the clock of `performance.now()`. */
type Space = { identity: string; dimensions: number; checkedAtMs: number };

/** The server refused these texts, but may accept others. */
class RefusedTexts extends EmbeddingFailure {}

const agentOptions = { keepAlive: true, maxSockets: 8 };
/** A server may ask for a longer delay, up to `longestRetryMs`. */
const usualRetriesMs = [250, 1_000];
const longestRetryMs = 5_000;
/** Max characters sent of a text. Only the server knows its model's limit. Of a refused text, `shortText` are sent. */
const longestText = 1_500;
const shortText = 200;
/** Another model may take the name unnoticed, so the model is checked again after this time and after each failure. */
const checkAgainMs = 10 * 60_000;
/** A fraction of the farthest distance. Rounding changes distances by much less, and few other ones are as near. */
const nearlyFarthest = 0.95;
/** Texts whose vectors tell one model from another. */
const probes = [
  'ready',
  'Every error is logged with the name of the module.',
  'How is a migration of the database rolled back?',
  'cats and dogs',
  '0123456789',
];

export function createEndpointEmbedder(options: EndpointOptions): Embedder {
  const endpoint = createState(options);
  return {
    model: options.model,
    endpoint: options.url.origin,
    get dimensions() {
      return endpoint.dimensions;
    },
    isPresent: () => true,
    status: endpoint.status.now,
    onChange: endpoint.status.onChange,
    async prepare() {
      endpoint.failure = undefined;
      endpoint.space = undefined;
      await spaceOf(endpoint);
    },
    embed: (texts, use = 'document') => embed(endpoint, texts, use),
    dispose() {
      endpoint.disposed.abort(new EmbeddingFailure('The daemon is ending.'));
      endpoint.agent.destroy();
    },
  };
}

function createState(options: EndpointOptions) {
  const { url, requestMs = fixedLimits.search.batchMs, retriesMs = usualRetriesMs, pauseMs = 10_000 } = options;
  return {
    ...options,
    requestMs,
    retriesMs,
    pauseMs,
    agent: url.protocol === 'https:' ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions),
    prefixes: prefixesOf(options.model),
    disposed: new AbortController(),
    status: createStatus(),
    /** The dimensions of the first answer. The index has the same. */
    dimensions: undefined as number | undefined,
    space: undefined as Space | undefined,
    /** The marks of the last checked model. */
    marks: [] as readonly number[],
    checking: undefined as Promise<Space> | undefined,
    /** `untilMs`: on the clock of `performance.now()`. */
    failure: undefined as { detail: string; untilMs: number } | undefined,
  };
}
type EndpointState = ReturnType<typeof createState>;

async function embed(endpoint: EndpointState, texts: readonly string[], use: TextUse): Promise<Embeddings> {
  if (texts.length === 0) throw new RangeError('There is nothing to embed.');
  const { identity, dimensions } = await spaceOf(endpoint);
  const vectors = new Float32Array(texts.length * dimensions);
  const max = fixedLimits.search.endpointTexts;
  for (let at = 0; at < texts.length; at += max) {
    const asked = texts.slice(at, at + max).map((text) => leaving(endpoint.prefixes[use] + text));
    vectors.set(await askInParts(endpoint, asked), at * dimensions);
  }
  // The server may have restarted with another model.
  if ((await spaceOf(endpoint)).identity !== identity)
    throw new EmbeddingFailure(`${endpoint.url.host} has another model now; it is tried again.`);
  return { identity, dimensions, vectors };
}

/** Finds the refused texts, and sends them shortened. If the server refuses a shortened text too, all texts fail. */
async function askInParts(endpoint: EndpointState, texts: readonly string[]): Promise<Float32Array> {
  try {
    return (await ask(endpoint, texts)).vectors;
  } catch (error) {
    const [first = ''] = texts;
    if (!(error instanceof RefusedTexts) || (texts.length === 1 && first.length <= shortText)) throw error;
    if (texts.length === 1) return askInParts(endpoint, [first.slice(0, shortText).toWellFormed()]);
    const half = texts.length >> 1;
    const left = await askInParts(endpoint, texts.slice(0, half));
    const right = await askInParts(endpoint, texts.slice(half));
    const vectors = new Float32Array(left.length + right.length);
    vectors.set(left);
    vectors.set(right, left.length);
    return vectors;
  }
}

/** The part of a text that may be sent. */
function leaving(text: string): string {
  return maskSecrets(text, findSecrets(text)).slice(0, longestText).toWellFormed();
}

/** The space of the server's present model. The server is asked at first, after a failure, and after `checkAgainMs`. */
function spaceOf(endpoint: EndpointState): Promise<Space> {
  const { space } = endpoint;
  if (space !== undefined && performance.now() - space.checkedAtMs < checkAgainMs) return Promise.resolve(space);
  endpoint.checking ??= check(endpoint).finally(() => {
    endpoint.checking = undefined;
  });
  return endpoint.checking;
}

async function check(endpoint: EndpointState): Promise<Space> {
  if (endpoint.failure === undefined) endpoint.status.enter({ state: 'loading' });
  const { dimensions, vectors } = await ask(endpoint, probes);
  endpoint.dimensions = dimensions;
  const { url, model, prefixes } = endpoint;
  endpoint.marks = marksOf(vectors, { dimensions, before: endpoint.marks });
  const seen = [url.href, model, prefixes, longestText, dimensions, endpoint.marks];
  const identity = hash('sha256', JSON.stringify(seen)).slice(0, 32);
  endpoint.space = { identity, dimensions, checkedAtMs: performance.now() };
  return endpoint.space;
}

/**
 * For each probe, the dimension in which it is farthest from the first probe. Another model has other marks, whatever
 * its name is. A server may round differently later, so a mark of `before` stays while it is nearly the farthest.
 */
function marksOf(
  vectors: Float32Array,
  { dimensions, before }: { dimensions: number; before: readonly number[] },
): number[] {
  return probes.slice(1).map((_, probe) => {
    const start = (probe + 1) * dimensions;
    const away = vectors.slice(start, start + dimensions).map((value, at) => Math.abs(value - (vectors[at] as number)));
    const farthest = away.reduce((most, each) => Math.max(most, each), 0);
    const earlier = before[probe] ?? -1;
    return (away[earlier] ?? 0) > nearlyFarthest * farthest ? earlier : away.indexOf(farthest);
  });
}

/**
 * One request, with retries if they may help. After a failure, nothing is sent for a while. Refused texts are not such
 * a failure, because other texts may be accepted.
 */
async function ask(endpoint: EndpointState, input: readonly string[]): Promise<EndpointVectors> {
  const { failure, retriesMs, pauseMs, disposed } = endpoint;
  if (disposed.signal.aborted) throw disposed.signal.reason;
  if (failure !== undefined && failure.untilMs > performance.now()) throw new EmbeddingFailure(failure.detail);
  try {
    for (let attempt = 0; ; attempt += 1) {
      const answer = await send(endpoint, input).catch((error: Error) => error);
      if (!(answer instanceof Error)) {
        endpoint.failure = undefined;
        endpoint.status.enter({ state: 'ready' });
        return answer;
      }
      endpoint.space = undefined;
      const retryMs = retriesMs[attempt];
      if (retryMs === undefined || !(answer instanceof EndpointFailure) || !answer.mayPass) throw answer;
      const waitMs = Math.max(retryMs, Math.min(answer.afterMs, longestRetryMs));
      await delay(waitMs, undefined, { signal: disposed.signal });
    }
  } catch (error) {
    if (disposed.signal.aborted) throw disposed.signal.reason;
    const detail = `The embedding server cannot be used: ${(error as Error).message}`;
    // If the server refuses all texts, the next check notices it.
    if (input !== probes && error instanceof EndpointFailure && error.isOfTexts) throw new RefusedTexts(detail);
    endpoint.failure = { detail, untilMs: performance.now() + pauseMs };
    endpoint.status.enter({ state: 'failed', detail });
    throw new EmbeddingFailure(detail);
  }
}

async function send(endpoint: EndpointState, input: readonly string[]): Promise<EndpointVectors> {
  const { url, key, agent, model, requestMs, dimensions, disposed } = endpoint;
  const expected = { texts: input.length, dimensions };
  const tooLate = AbortSignal.timeout(requestMs);
  const signal = AbortSignal.any([disposed.signal, tooLate]);
  const maxBytes = maxBytesOf(expected);
  let answer: string;
  try {
    answer = await postJson({ model, input, encoding_format: 'float' }, { url, key, agent, signal, maxBytes });
  } catch (error) {
    if (tooLate.aborted) throw new EndpointFailure(`${url.host} did not answer within ${requestMs / 1_000} s.`);
    throw error;
  }
  try {
    return readVectors(answer, expected);
  } catch (error) {
    throw new EndpointFailure(`the answer of ${url.host} cannot be used: ${(error as Error).message}.`);
  }
}
