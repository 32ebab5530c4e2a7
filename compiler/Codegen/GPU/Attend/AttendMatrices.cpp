#include "compiler/Codegen/GPU/Attend/AttendMatrices.h"
#include "compiler/Analysis/DataSubscripts.h"
#include "compiler/Codegen/Formula/Divisibility.h"
#include "compiler/Codegen/Kernels/Attend/AttendBinding.h"

using namespace mlir;

namespace attnc {

//===------------------------------------------ what has this form ------------------------------------------------===//

static std::optional<MatrixType> storedTypeOf(const AttendProblem &problem, tensor::ExtractOp extract) {
  BlockArgument argument = argumentOf(extract.getTensor());
  if (!argument)
    return std::nullopt;
  Type stored = cast<RankedTensorType>(argument.getType()).getElementType();
  if (stored.isF32())
    return func::FuncOp(problem.kernel)->hasAttr(tf32AttrName) ? MatrixType::TF32 : MatrixType::F32;
  return matrixTypeOf(stored);
}

/// Whether the rows, along `column`, are contiguous and aligned to 16 bytes: rows of the tensor, or slices of them.
static bool hasWholeRows(tensor::ExtractOp extract, BlockArgument column, MatrixType type) {
  auto tensor = cast<RankedTensorType>(extract.getTensor().getType());
  int64_t unit = vectorBytes / elementBytes(type);
  return IndexUses::stepsWith(extract, column) && !tensor.isDynamicDim(tensor.getRank() - 1) &&
         tensor.getShape().back() % unit == 0 &&
         isMultipleOf(extract.getIndices().back(), unit, [&](Value part) { return part == column; }); // from 0 on
}

/// A multiple of 16 from 16 to 256.
static bool isTileWidth(const SizeExpr &size) {
  return size.isConstant() && size.constant() >= 16 && size.constant() <= 256 && size.constant() % 16 == 0;
}

static Verdict isOneDot(const AttendProblem &problem) {
  attn::AttendOp op = problem.op;
  for (Region *formula : {&op.getScore(), &op.getWeight(), &op.getValue()})
    if (readsByData(*formula))
      return Verdict::no("a subscript comes from data");
  if (problem.products.size() != 1 || !problem.products[0].isDot ||
      attn::ReduceOp(problem.products[0].op).getSizes().size() != 1)
    return Verdict::no("its score does not contain exactly one dot product");
  if (op.getNumKeys() != 1 || op.getNumValues() != 1)
    return Verdict::no("its keys or values have several dimensions");
  if (!isTileWidth(problem.products[0].features) || !isTileWidth(problem.values))
    return Verdict::no("the number of features or values is not a constant multiple of 16 up to 256");
  return Verdict::yes();
}

/// Whether queries, keys and values are stored as matrices.
static Verdict areRows(const AttendProblem &problem, const AttendMatrices &matrices) {
  attn::AttendOp op = problem.op;
  BlockArgument feature = attn::ReduceOp(problem.products[0].op).getBody().getArgument(0);
  BlockArgument column = op.getValue().getArguments().back(), keyOfScore = op.getScore().getArguments().back();
  BlockArgument keyOfValue = op.getValue().getArgument(op.getNumOuter());
  if (!isAligned(problem.kernel))
    return Verdict::no("a tensor is an element of a list, which may not be aligned");
  bool are = hasWholeRows(matrices.query, feature, matrices.type) &&
             hasWholeRows(matrices.key, feature, matrices.type) &&
             hasWholeRows(matrices.value, column, matrices.type) && IndexUses::stepsAlong(matrices.key, keyOfScore) &&
             IndexUses::stepsAlong(matrices.value, keyOfValue) &&
             !(IndexUses(op).of(tensor::ExtractOp(matrices.value)) & problem.rowUses());
  return are ? Verdict::yes()
             : Verdict::no("queries, keys or values are not stored as rows of whole 16-byte vectors, one for each key");
}

Verdict AttendMatrices::match(const AttendProblem &problem, std::optional<AttendMatrices> &matrices) {
  if (Verdict verdict = canMergeOnline(problem); !verdict)
    return verdict;
  if (Verdict verdict = isOneDot(problem); !verdict)
    return verdict;
  attn::AttendOp op = problem.op;
  const PairReduction &product = problem.products[0];
  tensor::ExtractOp query = product.rowExtracts[0], key = product.keyFactor.getDefiningOp<tensor::ExtractOp>();
  auto value = AttendProblem::yielded(op.getValue()).getDefiningOp<tensor::ExtractOp>();
  if (!key || !value)
    return Verdict::no("keys or values are computed in the kernel");
  std::optional<MatrixType> type = storedTypeOf(problem, query);
  if (!type || storedTypeOf(problem, key) != type || storedTypeOf(problem, value) != type)
    return Verdict::no("queries, keys and values are not all stored in the same type");
  AttendMatrices result{*type, product.features.constant(), problem.values.constant(), query, key, value};
  if (Verdict verdict = areRows(problem, result); !verdict)
    return verdict;
  if (*type == MatrixType::F16 && (!problem.normaliser->usesMaximum() || problem.hasWeight()))
    return Verdict::no("its attention weights are unbounded, and f16 is not");
  matrices = result;
  return Verdict::yes();
}

int64_t readsByKey(const AttendProblem &problem) {
  attn::AttendOp op = problem.op;
  IndexUses uses(op);
  int64_t reads = 0;
  for (Region *formula : {&op.getScore(), &op.getMask(), &op.getWeight()})
    formula->walk([&](tensor::ExtractOp extract) {
      reads += !extract->getParentOfType<attn::ReduceOp>() && (uses.of(extract) & IndexUses::anyKey);
    });
  return reads;
}

//===------------------------------------------ layout ------------------------------------------------------------===//

AttendSources::AttendSources(const AttendProblem &problem, const AttendMatrices &matrices, DeviceFrame &frame,
                             AttendRows &rows)
    : problem(problem), matrices(matrices), frame(frame), rows(rows),
      loops(frame.builder, frame.location, /*lanes=*/1) {}

BlockArgument AttendSources::feature() const { return attn::ReduceOp(problem.products[0].op).getBody().getArgument(0); }

Value AttendSources::byteOffset(tensor::ExtractOp extract, RegionVectoriser &point) {
  Value memref = frame.buffer(extract.getTensor());
  Values sizes;
  for (unsigned dimension = 0; dimension < extract.getIndices().size(); ++dimension)
    sizes.push_back(loops.sizeOf(memref, dimension));
  Value element = loops.linearise(subscriptsOf(point, extract), sizes);
  return loops.builder.createOrFold<arith::IndexCastOp>(loops.location, loops.builder.getI64Type(),
                                                        loops.mul(element, elementBytes(matrices.type)));
}

/// Offset of the first feature, or value, of a key.
Value AttendSources::keyOffset(tensor::ExtractOp extract, Value key) {
  RegionVectoriser point = rows.bindKey(rows.formulas(1), key);
  bindValueIndex(problem, point, 0, uniformIndex(loops.constant(0)));
  point.bindIndex(feature(), loops.constant(0));
  return byteOffset(extract, point);
}

AttendSources::KeyRows AttendSources::rowsOf(tensor::ExtractOp extract) {
  Value first = keyOffset(extract, loops.constant(0)), second = keyOffset(extract, loops.constant(1));
  return {frame.pointerOf(extract.getTensor()), first,
          loops.builder.createOrFold<arith::SubIOp>(loops.location, second, first)};
}

LoopBuilder::Values AttendSources::firstSubscripts(tensor::ExtractOp extract) {
  Value zero = loops.constant(0);
  RegionVectoriser point = rows.bindKey(rows.bindRow(rows.formulas(1), zero), zero);
  bindValueIndex(problem, point, 0, uniformIndex(zero));
  point.bindIndex(feature(), zero);
  return subscriptsOf(point, extract);
}

Value AttendSources::query(Value row) {
  RegionVectoriser point = rows.bindRow(rows.formulas(1), row);
  point.bindIndex(feature(), loops.constant(0));
  return byteOffset(matrices.query, point);
}

void AttendSources::copyQueries(TileBuilder &tiles, const SharedTile &tile, Value firstRow, Value thread,
                                int64_t threads) {
  Value queries = frame.pointerOf(tensor::ExtractOp(matrices.query).getTensor());
  auto ofQuery = [&](Value row) { return query(loops.add(firstRow, tiles.toIndex(row))); };
  TileCopy copy(tiles, tile, {queries, ofQuery}, thread, threads);
  Value zero = arith::ConstantIntOp::create(loops.builder, loops.location, 0, 64);
  copy.issue(tile.stageOffset(tiles, tiles.constant(0)), zero, nullptr, nullptr);
}

} // namespace attnc
