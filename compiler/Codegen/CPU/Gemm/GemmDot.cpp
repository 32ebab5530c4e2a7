#include "compiler/Codegen/CPU/Gemm/GemmDot.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace attnc {

namespace {

class DotEmission {
public:
  DotEmission(FlatBuilder &code, const DotOperands &operands, int64_t nr, int64_t accumulators)
      : code(code), operands(operands), lanes(code.lanes), nr(nr), accumulators(accumulators),
        rows(operands.rowOffsets.size()) {}

  void emit() {
    constexpr int64_t together = 4;
    Value whole = code.mul(code.div(operands.columns, together), together);
    code.loop(code.constant(0), whole, together, [&](Value column) { columnsFrom(column, together); });
    code.loop(whole, operands.columns, 1, [&](Value column) { columnsFrom(column, 1); });
  }

private:
  void columnsFrom(Value first, int64_t count) {
    Value at = code.add(operands.rightOffset, code.mul(first, operands.depth));
    int64_t sets = std::max<int64_t>(1, accumulators / (rows * count));
    sets = std::min<int64_t>(4, int64_t(1) << llvm::Log2_64(sets));
    int64_t step = sets * lanes;
    FlatBuilder::Values sums(sets * count * rows, code.splat(0.0));
    Value whole = code.mul(code.div(operands.depth, step), step);
    Value ahead = code.mul(operands.depth, count);
    sums = code.loop(code.constant(0), whole, step, sums, [&](Value k, ValueRange carried) {
      FlatBuilder::Values next(carried);
      int64_t line = FlatBuilder::lineElements(operands.right);
      for (int64_t set = 0; set < sets; ++set)
        multiply(next, set, count, at, code.add(k, set * lanes), Value(), set * lanes % line == 0 ? ahead : Value());
      return next;
    });
    sums = code.loop(whole, operands.depth, lanes, sums, [&](Value k, ValueRange carried) {
      FlatBuilder::Values next(carried);
      multiply(next, 0, count, at, k, code.laneMask(code.sub(operands.depth, k)), Value());
      return next;
    });
    for (int64_t c = 0; c < count; ++c)
      for (int64_t r = 0; r < rows; ++r)
        reduce(sums, sets, count, c, r, code.add(first, r * nr + c));
  }

  void multiply(FlatBuilder::Values &sums, int64_t set, int64_t count, Value at, Value k, Value mask, Value ahead) {
    FlatBuilder::Values lefts;
    for (Value row : operands.rowOffsets)
      lefts.push_back(code.load(operands.left, code.add(row, k), mask));
    for (int64_t c = 0; c < count; ++c) {
      Value offset = code.add(code.add(at, code.mul(operands.depth, c)), k);
      Value right = code.load(operands.right, offset, mask);
      if (ahead)
        code.prefetch(operands.right, code.add(offset, ahead), /*locality=*/2); // 3 reads 30 % less bandwidth on Zen 4
      for (int64_t r = 0; r < rows; ++r) {
        Value &sum = sums[(set * count + c) * rows + r];
        sum = vector::FMAOp::create(code.builder, code.location, lefts[r], right, sum);
      }
    }
  }

  void reduce(ArrayRef<Value> sums, int64_t sets, int64_t count, int64_t c, int64_t r, Value position) {
    Value total = sums[c * rows + r];
    for (int64_t set = 1; set < sets; ++set)
      total = arith::AddFOp::create(code.builder, code.location, total, sums[(set * count + c) * rows + r]);
    // Reassociated: a tree of pairs of lanes.
    Value sum = vector::ReductionOp::create(code.builder, code.location, vector::CombiningKind::ADD, total,
                                            arith::FastMathFlags::reassoc);
    memref::StoreOp::create(code.builder, code.location, sum, operands.sums, ValueRange{position});
  }

  FlatBuilder &code;
  const DotOperands &operands;
  int64_t lanes, nr, accumulators, rows;
};

} // namespace

void emitDots(FlatBuilder &code, const DotOperands &operands, int64_t nr, int64_t accumulators) {
  DotEmission(code, operands, nr, accumulators).emit();
}

} // namespace attnc
