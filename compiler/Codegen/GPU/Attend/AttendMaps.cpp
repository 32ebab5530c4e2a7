#include "compiler/Codegen/GPU/Attend/AttendMaps.h"

using namespace mlir;

namespace attnc {

int64_t panelBytes(MatrixType type, int64_t columns) {
  int64_t rowBytes = columns * elementBytes(type), panel = 128;
  while (rowBytes % panel != 0)
    panel /= 2;
  return panel;
}

namespace {

/// A matrix of the problem: `numbers` are the indices of its rows, outermost first, `sizes` their extents.
struct MatrixRows {
  tensor::ExtractOp extract;
  int64_t columns;
  SmallVector<Value> numbers;
  SmallVector<SizeExpr> sizes;
  int64_t ofTile;
};

} // namespace

static SizeExpr productOf(ArrayRef<SizeExpr> sizes) {
  SizeExpr product = 1;
  for (const SizeExpr &each : sizes)
    product = product * each;
  return product;
}

/// The first of the row subscripts, if these are adjacent and in order, and the inner ones cover whole dimensions.
static std::optional<unsigned> firstRowSubscript(const MatrixRows &rows, ArrayRef<SizeExpr> dimensions) {
  OperandRange subscripts = tensor::ExtractOp(rows.extract).getIndices();
  auto found = llvm::find(subscripts, rows.numbers.front());
  size_t first = found - subscripts.begin(), count = rows.numbers.size();
  if (first + count >= subscripts.size()) // the last subscript is the column
    return std::nullopt;
  for (size_t each = 0; each < count; ++each)
    if (subscripts[first + each] != rows.numbers[each] || (each > 0 && !(dimensions[first + each] == rows.sizes[each])))
      return std::nullopt;
  return first;
}

/// Whether a subscript outside of [first, end) depends on the rows.
static bool hasOtherRows(const AttendProblem &problem, const MatrixRows &rows, unsigned first, unsigned end) {
  IndexUses uses(problem.op);
  uint64_t rowIndices = 0;
  for (Value number : rows.numbers)
    rowIndices |= uses.of(number);
  for (auto [number, subscript] : llvm::enumerate(tensor::ExtractOp(rows.extract).getIndices()))
    if ((number < first || number >= end) && (uses.of(subscript) & rowIndices))
      return true;
  return false;
}

static Verdict readMatrix(const AttendProblem &problem, MatrixType type, const MatrixRows &rows,
                          std::optional<MappedMatrix> &matrix) {
  tensor::ExtractOp extract = rows.extract;
  KernelSizes sizes(problem.kernel);
  SmallVector<SizeExpr> dimensions;
  for (unsigned each = 0; each < extract.getIndices().size(); ++each)
    dimensions.push_back(sizes.dimension(extract.getTensor(), each));
  std::optional<unsigned> first = rows.numbers.empty() ? std::nullopt : firstRowSubscript(rows, dimensions);
  unsigned end = first.value_or(0) + rows.numbers.size(), last = dimensions.size() - 1;
  if (!first || hasOtherRows(problem, rows, *first, end))
    return Verdict::no("the rows of queries, keys or values are not a dimension of their tensor");

  int64_t bytes = elementBytes(type);
  MappedTensor tensor{bufferNumber(extract.getTensor()), SizeExpr(0), bytes, {dimensions.back()}, {}, {}};
  tensor.box.push_back(panelBytes(type, rows.columns) / bytes);
  auto append = [&](const SizeExpr &size, unsigned innermost, int64_t ofBox) {
    tensor.sizes.push_back(size);
    tensor.strides.push_back(productOf(ArrayRef(dimensions).drop_front(innermost + 1)) * SizeExpr(bytes));
    tensor.box.push_back(ofBox);
  };
  append(productOf(rows.sizes), end - 1, rows.ofTile);
  if (end < last)
    append(productOf(ArrayRef(dimensions).slice(end, last - end)), last - 1, 1);
  if (*first > 0)
    append(productOf(ArrayRef(dimensions).take_front(*first)), *first - 1, 1);
  if (Verdict verdict = tensor.check(problem.kernel); !verdict)
    return verdict;
  matrix = MappedMatrix{extract, *first, end, tensor};
  return Verdict::yes();
}

TileBuilder::Values MappedMatrix::start(AttendSources &sources, TileBuilder &tiles, DeviceFrame &frame) const {
  tensor::ExtractOp op = extract;
  LoopBuilder loops(tiles.builder, tiles.location, /*lanes=*/1);
  TileBuilder::Values subscripts = sources.firstSubscripts(op), sizes;
  Value memref = frame.buffer(op.getTensor());
  for (unsigned each = 0; each < subscripts.size(); ++each)
    sizes.push_back(loops.sizeOf(memref, each));
  auto flat = [&](unsigned first, unsigned end) {
    return tiles.fromIndex(
        loops.linearise(ValueRange(subscripts).slice(first, end - first), ValueRange(sizes).slice(first, end - first)));
  };
  unsigned column = subscripts.size() - 1;
  TileBuilder::Values coordinates = {tiles.fromIndex(subscripts[column]), tiles.constant(0)};
  if (endRow < column)
    coordinates.push_back(flat(endRow, column));
  if (firstRow > 0)
    coordinates.push_back(flat(0, firstRow));
  return coordinates;
}

Verdict AttendMaps::match(const AttendProblem &problem, const AttendMatrices &matrices, int64_t tileQueries,
                          int64_t tileKeys, std::optional<AttendMaps> &maps) {
  attn::AttendOp op = problem.op;
  MatrixRows queryRows{matrices.query, matrices.features, {}, {}, tileQueries};
  for (unsigned dimension : problem.rowDims) {
    queryRows.numbers.push_back(op.getScore().getArgument(dimension));
    queryRows.sizes.push_back(problem.outerSizes[dimension]);
  }
  auto keyRows = [&](tensor::ExtractOp extract, int64_t columns, Region &region) {
    return MatrixRows{extract, columns, {region.getArgument(op.getNumOuter())}, {problem.keys}, tileKeys};
  };
  std::optional<MappedMatrix> queries, keys, values;
  for (auto [rows, matrix] : {std::pair(queryRows, &queries),
                              {keyRows(matrices.key, matrices.features, op.getScore()), &keys},
                              {keyRows(matrices.value, matrices.values, op.getValue()), &values}})
    if (Verdict verdict = readMatrix(problem, matrices.type, rows, *matrix); !verdict)
      return verdict;
  maps = AttendMaps{*queries, *keys, *values};
  return Verdict::yes();
}

} // namespace attnc
