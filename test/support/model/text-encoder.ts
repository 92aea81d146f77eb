/** Builds encoders of the architecture of BERT with invented weights, int8 as the quantised models are. */
import { createOnnxGraph, type OnnxGraph } from './onnx-graph.ts';
import { type Random, seededRandom } from './seeded-random.ts';

export type EncoderShape = {
  layers: number;
  hidden: number;
  heads: number;
  feedForward: number;
  /** Width of the vectors that come out; where it is not `hidden`, a last matrix widens them. */
  dimensions: number;
};

type EncoderOptions = EncoderShape & {
  /** One row of `hidden` numbers for each word of the vocabulary. */
  words: Float32Array;
  vocabularySize: number;
  /** How much of a word's vector the layers and its position can change; 0.02 is usual before training. */
  spread?: number;
  /** So many of the first columns of `words` are ignored by the last matrix. */
  silent?: number;
  /** Fills the last bias, to make a model that answers nonsense. */
  bias?: number;
};

const longestText = 512;

/** The bytes of `model_quantized.onnx`. */
export function buildEncoder(options: EncoderOptions): Buffer {
  const { layers, hidden, heads, feedForward, dimensions, spread = 0.02 } = options;
  const graph = createOnnxGraph();
  const random = seededRandom(1);
  const part = { graph, random, spread };
  const op = (operation: string, inputs: string[], attributes = {}): string =>
    graph.node(operation, inputs, { attributes })[0] as string;
  const ints = (...values: number[]): string => graph.constant([values.length], BigInt64Array.from(values, BigInt));
  const float = (value: number): string => graph.constant([], Float32Array.of(value));

  const shape = op('Shape', ['input_ids']);
  const batch = op('Gather', [shape, ints(0)], { axis: { int: 0 } });
  const length = op('Gather', [shape, ints(1)], { axis: { int: 0 } });
  const positions = op('Slice', [matrix(part, [longestText, hidden]), ints(0), length, ints(0)]);
  const words = op('Gather', [graph.constant([options.vocabularySize, hidden], options.words), 'input_ids']);
  const kinds = op('Gather', [matrix(part, [2, hidden]), 'token_type_ids']);
  let state = normalized(graph, op('Add', [op('Add', [words, kinds]), positions]), hidden);

  const mask = op('Unsqueeze', [op('Cast', ['attention_mask'], { to: { int: 1 } }), ints(1, 2)]);
  const ignored = op('Mul', [op('Sub', [float(1), mask]), float(-10_000)]);
  const split = op('Concat', [batch, length, ints(heads, hidden / heads)], { axis: { int: 0 } });
  const joined = op('Concat', [batch, length, ints(hidden)], { axis: { int: 0 } });
  const scale = float(Math.sqrt(hidden / heads));

  for (let layer = 0; layer < layers; layer += 1) {
    const head = (order: number[]): string =>
      op('Transpose', [op('Reshape', [linear(part, state, [hidden, hidden]), split])], { perm: { ints: order } });
    const [query, key, values] = [head([0, 2, 1, 3]), head([0, 2, 3, 1]), head([0, 2, 1, 3])];
    const scores = op('Add', [op('Div', [op('MatMul', [query, key]), scale]), ignored]);
    const seen = op('MatMul', [op('Softmax', [scores], { axis: { int: -1 } }), values]);
    const merged = op('Reshape', [op('Transpose', [seen], { perm: { ints: [0, 2, 1, 3] } }), joined]);
    state = normalized(graph, op('Add', [linear(part, merged, [hidden, hidden]), state]), hidden);
    const wide = linear(part, state, [hidden, feedForward]);
    const gate = op('Add', [op('Erf', [op('Div', [wide, float(Math.SQRT2)])]), float(1)]);
    const active = op('Mul', [op('Mul', [wide, gate]), float(0.5)]);
    state = normalized(graph, op('Add', [linear(part, active, [feedForward, hidden]), state]), hidden);
  }
  if (dimensions !== hidden) {
    const wide = { ...part, spread: 1 / Math.sqrt(hidden), silent: options.silent ?? 0 };
    state = linear(wide, state, [hidden, dimensions]);
  }
  if (options.bias !== undefined) state = op('Add', [state, float(options.bias)]);
  const output = { from: state, name: 'last_hidden_state', width: dimensions };
  return graph.finish(['input_ids', 'attention_mask', 'token_type_ids'], output);
}

type Part = { graph: OnnxGraph; random: Random; spread: number; silent?: number };

function matrix({ graph, random, spread }: Part, shape: [number, number]): string {
  return graph.constant(
    shape,
    Float32Array.from({ length: shape[0] * shape[1] }, () => spread * random.normal()),
  );
}

/** Multiplies by an int8 matrix; the input is quantised as it comes, one scale for all of it. */
function linear({ graph, random, spread, silent = 0 }: Part, input: string, [rows, columns]: [number, number]): string {
  const levels = Int8Array.from({ length: rows * columns }, () =>
    Math.max(-127, Math.min(127, Math.round(32 * random.normal()))),
  );
  levels.fill(0, 0, silent * columns);
  const weights = graph.constant([rows, columns], levels);
  const zero = graph.constant([], Int8Array.of(0));
  const [quantized = '', scale = '', zeroPoint = ''] = graph.node('DynamicQuantizeLinear', [input], { outputs: 3 });
  const [product = ''] = graph.node('MatMulInteger', [quantized, weights, zeroPoint, zero]);
  const [floats = ''] = graph.node('Cast', [product], { attributes: { to: { int: 1 } } });
  const [step = ''] = graph.node('Mul', [scale, graph.constant([], Float32Array.of(spread / 32))]);
  const [scaled = ''] = graph.node('Mul', [floats, step]);
  return graph.node('Add', [scaled, graph.constant([columns], new Float32Array(columns))])[0] as string;
}

function normalized(graph: OnnxGraph, input: string, width: number): string {
  const op = (operation: string, inputs: string[], attributes = {}): string =>
    graph.node(operation, inputs, { attributes })[0] as string;
  const last = { axes: { ints: [-1] } };
  const centered = op('Sub', [input, op('ReduceMean', [input], last)]);
  const variance = op('ReduceMean', [op('Mul', [centered, centered])], last);
  const deviation = op('Sqrt', [op('Add', [variance, graph.constant([], Float32Array.of(1e-12))])]);
  const gain = graph.constant([width], new Float32Array(width).fill(1));
  return op('Add', [
    op('Mul', [op('Div', [centered, deviation]), gain]),
    graph.constant([width], new Float32Array(width)),
  ]);
}
