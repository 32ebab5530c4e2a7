#include "compiler/Codegen/CPU/Gemm/GemmEpilogue.h"
#include "compiler/Analysis/OpCost.h"
#include "compiler/Codegen/CPU/Gemm/GemmOperands.h"
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
    if (block.columns)
      return emitRows(block.columns);
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

  /// All rows; `columnsLeft` is null if the panel is full. Coordinates are incremented with carry: no division a row.
  void emitRows(Value columnsLeft) {
    SmallVector<SizeExpr> sizes = sizesOf(LoopGroup::Row);
    if (block.sorted)
      return emitSortedRows(sizes, columnsLeft);
    FlatBuilder::Values start = coordinatesOf(code, frame, sizes, block.firstRow);
    if (!block.sums)
      return emitRegisterRows(sizes, start, columnsLeft);
    code.loop(code.constant(0), block.rows, 1, start, [&](Value row, ValueRange at) {
      assign(LoopGroup::Row, FlatBuilder::Values(at));
      emitStoredRow(row, columnsLeft);
      return next(sizes, at);
    });
  }

  /// All rows of a grouped product, whose numbers are not consecutive.
  void emitSortedRows(ArrayRef<SizeExpr> sizes, Value columnsLeft) {
    code.loop(code.constant(0), block.rows, 1, [&](Value row) {
      assign(LoopGroup::Row, coordinatesOf(code, frame, sizes, block.sorted->number(code.add(block.firstRow, row))));
      emitStoredRow(row, columnsLeft);
    });
  }

  /// Row `row` of the block, at the coordinates.
  void emitStoredRow(Value row, Value columnsLeft) {
    emitRow(columnsLeft, [&](int64_t column) {
      return code.load(block.sums, code.add(code.mul(code.add(block.sumsRow, row), nr), column));
    });
  }

  void emitRegisterRows(ArrayRef<SizeExpr> sizes, FlatBuilder::Values at, Value columnsLeft) {
    int64_t vectors = nr / lanes, rows = block.registers.size() / vectors;
    for (int64_t row = 0; row < rows; ++row) {
      assign(LoopGroup::Row, at);
      Value isStored = block.skipped ? code.less(block.skipped, code.constant(row + 1)) : code.boolean(true);
      code.when(isStored, [&] {
        emitRow(columnsLeft, [&](int64_t column) { return block.registers[row * vectors + column / lanes]; });
      });
      at = next(sizes, at);
    }
  }

  /// The coordinates of the row after the one at `at`.
  FlatBuilder::Values next(ArrayRef<SizeExpr> sizes, ValueRange at) {
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
  }

  void emitRow(Value columnsLeft, llvm::function_ref<Value(int64_t)> sumsAt) {
    for (int64_t v = 0; v < nr / lanes; ++v) {
      auto emit = [&] { emitVector(sumsAt(v * lanes), v * lanes, columnsLeft); };
      if (columnsLeft)
        code.when(code.less(code.constant(v * lanes), columnsLeft), emit);
      else
        emit();
    }
  }

  /// The vector that starts at column `column` of the panel.
  void emitVector(Value sums, int64_t column, Value columnsLeft) {
    RegionVectoriser vectoriser(code.builder, code.location, lanes);
    frame.bindTo(vectoriser);
    if (columnsLeft)
      vectoriser.setActiveLanes(code.sub(columnsLeft, code.constant(column)));
    Value firstColumn = code.add(block.firstColumn, column);
    setCoordinates(code, frame, problem, LoopGroup::Column, firstColumn, coordinates);
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

bool hasShortFormula(const GemmProblem &problem) {
  constexpr int64_t mostInstructions = 4;
  linalg::GenericOp epilogue = problem.epilogue;
  return !epilogue || costOf(epilogue.getRegion()).instructions <= mostInstructions;
}

void emitEpilogue(FlatBuilder &code, const GemmProblem &problem, KernelFrame &frame, const BlockOfSums &block,
                  int64_t nr) {
  EpilogueEmission(code, problem, frame, block, nr).emit();
}

} // namespace attnc
