// Writes ONNX models: as much of the protocol-buffer encoding of onnx.proto as operator graphs need.

const FLOAT = 1, INT32 = 6, INT64 = 7;
export const types = { float32: FLOAT, int32: INT32, int64: INT64 };

function varint(value) {
  const bytes = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  while (rest > 127n) {
    bytes.push(Number(rest & 127n) | 128);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}

const integer = (field, value) => Buffer.concat([varint(field << 3), varint(value)]);
const real = (field, value) => {
  const four = Buffer.alloc(4);
  four.writeFloatLE(value);
  return Buffer.concat([varint((field << 3) | 5), four]);
};
// A length-delimited field as a list of pieces, so that large weights are never copied.
const block = (field, pieces) => {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  return [varint((field << 3) | 2), varint(length), ...pieces];
};
const text = (field, value) => Buffer.concat(block(field, [Buffer.from(value)]));

function attribute(name, value) {
  if (Array.isArray(value))
    return block(5, [text(1, name), ...value.map((each) => integer(8, each)), integer(20, 7)]);
  if (Number.isInteger(value)) return block(5, [text(1, name), integer(3, value), integer(20, 2)]);
  return block(5, [text(1, name), real(2, value.float), integer(20, 1)]);
}

function valueInfo(field, [name, shape, type = 'float32']) {
  const dims = shape.flatMap((size) => block(1, [integer(1, size)]));
  const tensor = block(1, [integer(1, types[type]), ...block(2, dims)]);
  return block(field, [text(1, name), ...block(2, tensor)]);
}

function initializer([name, shape, values]) {
  const type = values instanceof Float32Array ? FLOAT : values instanceof BigInt64Array ? INT64 : INT32;
  const raw = Buffer.from(values.buffer, values.byteOffset, values.byteLength);
  return block(5, [...shape.map((size) => integer(1, size)), integer(2, type), text(8, name), ...block(9, [raw])]);
}

// One node: operator, inputs, outputs, attributes (numbers are INT, {float: x} FLOAT, arrays INTS), operator set.
export const node = (op, inputs, outputs, attributes = {}, domain = '') =>
  ({ op, inputs, outputs, attributes, domain });

// The model's bytes, ready for InferenceSession.create.
export function model({ nodes, inputs, outputs, initializers = [], opset = 17 }) {
  const graph = [
    ...nodes.flatMap(({ op, inputs, outputs, attributes, domain }) =>
      block(1, [
        ...inputs.map((name) => text(1, name)),
        ...outputs.map((name) => text(2, name)),
        text(4, op),
        ...Object.entries(attributes).flatMap(([name, value]) => attribute(name, value)),
        ...(domain ? [text(7, domain)] : []),
      ])
    ),
    text(2, 'graph'),
    ...initializers.flatMap(initializer),
    ...inputs.flatMap((info) => valueInfo(11, info)),
    ...outputs.flatMap((info) => valueInfo(12, info)),
  ];
  const sets = [['', opset], ['com.microsoft', 1]].flatMap(([domain, version]) =>
    block(8, [text(1, domain), integer(2, version)]));
  return Buffer.concat([integer(1, opset < 21 ? 8 : 10), ...sets, ...block(7, graph)]);
}
