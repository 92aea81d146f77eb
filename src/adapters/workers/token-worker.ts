/** Runs in a worker thread. Counts tokens with the vocabularies of gpt-tokenizer. */
import { parentPort } from 'node:worker_threads';
import { getEncodingParams } from 'gpt-tokenizer/modelParams';
import type { TokenEncoding } from '../../ports/token-encoding.ts';
import { createCounter } from './count-tokens.ts';
import { createTokenTable, packTokens } from './token-table.ts';

const o200k = () => import('gpt-tokenizer/bpeRanks/o200k_base');
const p50k = () => import('gpt-tokenizer/bpeRanks/p50k_base');
/** In the built program they are packed. */
const vocabularies: Record<TokenEncoding, () => Promise<{ default: Uint8Array | (string | number[])[] }>> = {
  o200k_base: o200k,
  o200k_harmony: o200k,
  cl100k_base: () => import('gpt-tokenizer/bpeRanks/cl100k_base'),
  p50k_base: p50k,
  p50k_edit: p50k,
  r50k_base: () => import('gpt-tokenizer/bpeRanks/r50k_base'),
};

type Counter = (text: string) => number;
const counters = new Map<TokenEncoding, Promise<Counter>>();

async function load(encoding: TokenEncoding): Promise<Counter> {
  const { default: tokens } = await vocabularies[encoding]();
  const table = createTokenTable(tokens instanceof Uint8Array ? tokens : packTokens(tokens));
  return createCounter(table, getEncodingParams(encoding, () => []).tokenSplitRegex);
}

parentPort?.on('message', async (message: { id: number; texts: string[]; encoding: TokenEncoding }) => {
  const { id, texts, encoding } = message;
  try {
    const counter = counters.get(encoding) ?? load(encoding);
    counters.set(encoding, counter);
    parentPort?.postMessage({ id, counts: texts.map(await counter) });
  } catch (error) {
    counters.delete(encoding);
    parentPort?.postMessage({ id, problem: error instanceof Error ? error.message : String(error) });
  }
});
