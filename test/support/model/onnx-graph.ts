/** Writes ONNX models: as much of the protobuf format (onnx.proto3) as a text encoder needs. */

const elementTypes = { float32: 1, int8: 3, int32: 6, int64: 7 } as const;
type ElementType = keyof typeof elementTypes;
type Attributes = Record<string, { int: number } | { ints: readonly number[] }>;

/** A graph under construction. Values are known by their names. */
export type OnnxGraph = {
  /** Adds an operation and returns the names of its outputs. */
  node(operation: string, inputs: readonly string[], more?: { attributes?: Attributes; outputs?: number }): string[];
  /** Adds a constant tensor and returns its name. */
  constant(shape: readonly number[], values: Float32Array | Int8Array | BigInt64Array): string;
  /** The bytes of the file. Inputs are `[batch, sequence]` of integers; the output is `[batch, sequence, width]`. */
  finish(inputs: readonly string[], output: { from: string; name: string; width: number }): Buffer;
};

export function createOnnxGraph(): OnnxGraph {
  const nodes: Buffer[] = [];
  const constants: Buffer[] = [];
  let names = 0;
  const nextName = (): string => {
    names += 1;
    return `v${names}`;
  };
  return {
    node(operation, inputs, { attributes = {}, outputs = 1 } = {}) {
      const made = Array.from({ length: outputs }, nextName);
      const fields = [...inputs.map((name) => text(1, name)), ...made.map((name) => text(2, name)), text(4, operation)];
      for (const [name, value] of Object.entries(attributes)) fields.push(block(5, attribute(name, value)));
      nodes.push(Buffer.concat(fields));
      return made;
    },
    constant(shape, values) {
      const name = nextName();
      const type: ElementType =
        values instanceof Float32Array ? 'float32' : values instanceof Int8Array ? 'int8' : 'int64';
      const bytes = Buffer.from(values.buffer, values.byteOffset, values.byteLength);
      const dimensions = shape.map((size) => number(1, size));
      constants.push(Buffer.concat([...dimensions, number(2, elementTypes[type]), text(8, name), block(9, bytes)]));
      return name;
    },
    finish(inputs, { from, name, width }) {
      nodes.push(Buffer.concat([text(1, from), text(2, name), text(4, 'Identity')]));
      const graph = [
        ...nodes.map((node) => block(1, node)),
        text(2, 'encoder'),
        ...constants.map((constant) => block(5, constant)),
        ...inputs.map((input) => block(11, value(input, 'int64', ['batch', 'sequence']))),
        block(12, value(name, 'float32', ['batch', 'sequence', width])),
      ];
      const operators = block(8, Buffer.concat([text(1, ''), number(2, 13)]));
      return Buffer.concat([number(1, 8), text(2, 'contextd tests'), block(7, Buffer.concat(graph)), operators]);
    },
  };
}

function attribute(name: string, value: Attributes[string]): Buffer {
  if ('int' in value) return Buffer.concat([text(1, name), number(3, value.int), number(20, 2)]);
  return Buffer.concat([text(1, name), ...value.ints.map((each) => number(8, each)), number(20, 7)]);
}

function value(name: string, type: ElementType, shape: readonly (string | number)[]): Buffer {
  const dimensions = shape.map((size) => block(1, typeof size === 'number' ? number(1, size) : text(2, size)));
  const tensor = Buffer.concat([number(1, elementTypes[type]), block(2, Buffer.concat(dimensions))]);
  return Buffer.concat([text(1, name), block(2, block(1, tensor))]);
}

/** A field that holds a whole number. */
function number(field: number, value: number): Buffer {
  return Buffer.concat([varint(BigInt(field << 3)), varint(BigInt.asUintN(64, BigInt(value)))]);
}

/** A field that holds bytes of a known length. */
function block(field: number, bytes: Buffer): Buffer {
  return Buffer.concat([varint(BigInt((field << 3) | 2)), varint(BigInt(bytes.length)), bytes]);
}

function text(field: number, value: string): Buffer {
  return block(field, Buffer.from(value));
}

function varint(value: bigint): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}
