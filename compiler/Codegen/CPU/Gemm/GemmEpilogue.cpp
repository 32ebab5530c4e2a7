#include "compiler/Codegen/CPU/Gemm/GemmEpilogue.h"
#include "compiler/Codegen/Kernels/Gemm/GemmResult.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace attnc {

namespace {

class EpilogueEmission {
public:
  EpilogueEmission(FlatBuilder &code, const GemmProblem &problem, KernelFrame &frame, const BlockOfSums &block,
                   int64_t nr)
      : code(code), problem(problem), frame(frame), block(block), lanes(code.lanes), nr(nr),
        coordinates(problem.loopSizes.size()) {}

  void emit() {
    setCoordinates(code, frame, problem, LoopGroup::Batch, block.batch, coordinates);
    Value columns = frame.size(problem.extent(LoopGroup::Column));
    Value left = code.sub(columns, block.firstColumn);
    bool neverRagged = FlatBuilder::constantOf(code.rem(columns, nr)) == int64_t(0);
    Value ragged = neverRagged ? Value() : code.less(left, code.constant(nr));
    if (!ragged)
      return emitRows(Value());
    code.branch(
        ragged, [&] { emitRows(left); }, [&] { emitRows(Value()); });
  }

private:
  SmallVector<SizeExpr> sizesOf(LoopGroup group) {
    return llvm::map_to_vector(problem.loopsOf(group), [&](unsigned loop) { return problem.loopSizes[loop]; });
  }

  void assign(LoopGroup group, ArrayRef<Value> values) {
    for (auto [loop, value] : llvm::zip(problem.loopsOf(group), values))
      coordinates[loop] = LaneIndex{value, 0, Value(), true};
  }

  /// All rows; `columnsLeft` is null where the panel is full. Coordinates count on like an odometer: no division a row.
  void emitRows(Value columnsLeft) {
    SmallVector<SizeExpr> sizes = sizesOf(LoopGroup::Row);
    FlatBuilder::Values start = coordinatesOf(code, frame, sizes, block.firstRow);
    code.loop(code.constant(0), block.rows, 1, start, [&](Value row, ValueRange at) {
      assign(LoopGroup::Row, FlatBuilder::Values(at));
      emitRow(row, columnsLeft);
      FlatBuilder::Values next(at);
      Value carry = code.constant(1);
      for (size_t i = sizes.size(); i-- > 0;) {
        next[i] = code.add(next[i], carry);
        if (i == 0)
          break;
        Value size = frame.size(sizes[i]);
        Value wraps = code.equal(next[i], size);
        next[i] = code.choose(wraps, code.constant(0), next[i]);
        carry = code.choose(wraps, code.constant(1), code.constant(0));
      }
      return next;
    });
  }

  void emitRow(Value row, Value columnsLeft) {
    for (int64_t v = 0; v < nr / lanes; ++v) {
      auto emit = [&] { emitVector(row, v * lanes, columnsLeft); };
      if (columnsLeft)
        code.when(code.less(code.constant(v * lanes), columnsLeft), emit);
      else
        emit();
    }
  }

  /// The vector from column `column` of the panel on.
  void emitVector(Value row, int64_t column, Value columnsLeft) {
    RegionVectoriser vectoriser(code.builder, code.location, lanes);
    frame.bindTo(vectoriser);
    if (columnsLeft)
      vectoriser.setActiveLanes(code.sub(columnsLeft, code.constant(column)));
    Value firstColumn = code.add(block.firstColumn, column);
    setCoordinates(code, frame, problem, LoopGroup::Column, firstColumn, coordinates);
    Value sums = code.load(block.sums, code.add(code.mul(code.add(block.sumsRow, row), nr), column));
    if (!innermostColumn(problem))
      sums = vector::ExtractOp::create(code.builder, code.location, sums, ArrayRef<int64_t>{0});
    storeSums(vectoriser, frame, problem, sums, coordinates);
  }

  FlatBuilder &code;
  const GemmProblem &problem;
  KernelFrame &frame;
  const BlockOfSums &block;
  int64_t lanes, nr;
  SmallVector<LaneIndex> coordinates; ///< of each loop of the contraction
};

} // namespace

void emitEpilogue(FlatBuilder &code, const GemmProblem &problem, KernelFrame &frame, const BlockOfSums &block,
                  int64_t nr) {
  EpilogueEmission(code, problem, frame, block, nr).emit();
}

} // namespace attnc
