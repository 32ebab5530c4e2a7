#include "compiler/Codegen/CPU/Loops/ScatterSums.h"
#include "compiler/Codegen/Kernels/Loops/LoopSchedule.h"
#include "compiler/Codegen/Nest/LoopNest.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace attnc {

namespace {

/// Terms that make a chunk worth its launch.
constexpr int64_t chunkTerms = 32768;

attn::TermOp getTerm(attn::ScatterAddOp op) { return cast<attn::TermOp>(op.getBody().front().getTerminator()); }

/// The number of the loop that a subscript is. An argument of the kernel, such as a time step, is not a loop.
std::optional<unsigned> subscriptLoop(attn::ScatterAddOp op, Value subscript) {
  auto argument = dyn_cast<BlockArgument>(subscript);
  bool isLoop = argument && argument.getOwner() == &op.getBody().front();
  return isLoop ? std::optional(argument.getArgNumber()) : std::nullopt;
}

class ScatterSumsEmission {
public:
  ScatterSumsEmission(func::FuncOp kernel, attn::ScatterAddOp op, const Target &target, ModuleOp code)
      : op(op), frame(kernel, kernel.getSymName(), code), b(frame.builder), at(frame.location), lanes(target.f32Lanes),
        rank(cast<RankedTensorType>(op.getResult().getType()).getRank()) {
    for (Value size : op.getSizes())
      extents.push_back(frame.sizes.valueOf(size));
    llvm::SmallBitVector isSubscript(extents.size());
    for (Value subscript : getTerm(op).getSubscripts())
      if (std::optional<unsigned> loop = subscriptLoop(op, subscript)) {
        isSubscript.set(*loop);
        subscriptLoops.push_back(*loop);
      }
    for (unsigned loop = 0; loop < extents.size(); ++loop)
      if (!isSubscript[loop])
        summed.push_back(loop);
    lanes = lanesFor(extents[summed.back()], lanes);
  }

  KernelCode run(StringRef symbol) {
    SizeExpr chunks(1), points(1);
    for (const SizeExpr &extent : extents)
      points = points * extent;
    Value first = index(0), end = index(1);
    bool isDivided = rank > 0 && subscriptLoop(op, getTerm(op).getSubscripts()[0]);
    if (isDivided) {
      SizeExpr all = frame.sizes.dimension(op.getResult(), 0);
      int64_t perChunk = std::max<int64_t>(1, chunkTerms / indexTerms());
      chunks = all.ceilDiv(perChunk);
      first = arith::MulIOp::create(b, at, frame.chunk, index(perChunk));
      end = arith::MinSIOp::create(b, at, arith::AddIOp::create(b, at, first, index(perChunk)), frame.size(all));
    }
    copyInit(first, end, isDivided);
    addSums(first, end, isDivided);
    KernelCost cost{points, frame.sizes.bytesRead(), frame.sizes.bytesWritten()};
    return {{{symbol.str(), chunks}}, 0, 0, cost};
  }

private:
  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, at, value); }

  /// Estimated terms for one index of the first loop that is a subscript.
  int64_t indexTerms() const {
    int64_t terms = 1;
    for (auto [loop, extent] : llvm::enumerate(extents))
      if (loop != subscriptLoops.front())
        terms *= std::max<int64_t>(1, assumedSize(extent));
    return std::max<int64_t>(terms, 1);
  }

  /// Calls `body` for the tuples of `sizes` whose first index is in [first, end); for all if `isDivided` is false.
  void eachTuple(ArrayRef<SizeExpr> sizes, Value first, Value end, bool isDivided,
                 llvm::function_ref<void(ArrayRef<LaneIndex>)> body) {
    SizeExpr inner(1);
    SmallVector<Value> values;
    for (auto [number, size] : llvm::enumerate(sizes)) {
      values.push_back(frame.size(size));
      if (number > 0 || !isDivided)
        inner = inner * size;
    }
    Value scale = frame.size(inner);
    eachElement(b, at, arith::MulIOp::create(b, at, first, scale), arith::MulIOp::create(b, at, end, scale), values,
                body);
  }

  /// Copies the initial tensor, unless the result has the same buffer.
  void copyInit(Value first, Value end, bool isDivided) {
    auto address = [&](Value buffer) -> Value { return memref::ExtractAlignedPointerAsIndexOp::create(b, at, buffer); };
    Value isCopied = arith::CmpIOp::create(b, at, arith::CmpIPredicate::ne, address(frame.buffer(op.getInit())),
                                           address(frame.result(0)));
    auto copies = scf::IfOp::create(b, at, isCopied);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(copies.thenBlock());
    SmallVector<SizeExpr> sizes;
    for (int64_t each = 0; each < rank; ++each)
      sizes.push_back(frame.sizes.dimension(op.getResult(), each));
    eachTuple(sizes, first, end, isDivided, [&](ArrayRef<LaneIndex> subscripts) {
      RegionVectoriser vectoriser(b, at, lanes);
      frame.bindTo(vectoriser);
      vectoriser.store(vectoriser.load(op.getInit(), subscripts), frame.result(0), subscripts);
    });
  }

  void addSums(Value first, Value end, bool isDivided) {
    SmallVector<SizeExpr> sizes;
    for (unsigned loop : subscriptLoops)
      sizes.push_back(extents[loop]);
    eachTuple(sizes, first, end, isDivided, [&](ArrayRef<LaneIndex> tuple) {
      RegionVectoriser outside(b, at, lanes);
      frame.bindTo(outside);
      for (auto [loop, subscript] : llvm::zip_equal(subscriptLoops, tuple))
        outside.bindIndex(op.getBody().getArgument(loop), subscript);
      Value none = neutralElement(b, at, attn::Combine::Add, VectorType::get({lanes}, b.getF32Type()));
      Value sum = combineLanes(b, at, attn::Combine::Add, sumOver(outside, 0, none));
      SmallVector<LaneIndex> target;
      for (Value subscript : getTerm(op).getSubscripts())
        target.push_back(outside.evaluateIndex(subscript));
      outside.bindBuffer(op.getResult(), frame.result(0));
      Value before = outside.load(op.getResult(), target);
      outside.store(arith::AddFOp::create(b, at, before, sum), frame.result(0), target);
    });
  }

  /// `total` and the terms of the summed loops from number `depth` on.
  Value sumOver(const RegionVectoriser &outside, unsigned depth, Value total) {
    unsigned loopNumber = summed[depth];
    Value argument = op.getBody().getArgument(loopNumber), size = frame.size(extents[loopNumber]);
    if (depth + 1 < summed.size())
      return loop(b, at, index(0), size, 1, total, [&](Value number, ValueRange carried) -> SmallVector<Value> {
        RegionVectoriser inside = outside;
        inside.bindIndex(argument, number);
        return {sumOver(inside, depth + 1, carried[0])};
      })[0];
    const SizeExpr &extent = extents[loopNumber];
    SweepShape shape{lanes, 4, extent.isConstant() ? std::optional(extent.constant()) : std::nullopt};
    SweepReduction addition{attn::Combine::Add, b.getF32Type()};
    Value sum = sweep(b, at, index(0), size, shape, addition, [&](ArrayRef<LanePoint> points) {
      SmallVector<Value> terms;
      for (const LanePoint &point : points) {
        RegionVectoriser vectoriser = outside;
        if (point.active)
          vectoriser.setActiveLanes(point.active);
        vectoriser.bindIndex(argument, point.index);
        terms.push_back(vectoriser.evaluate(getTerm(op).getValue()));
      }
      return terms;
    })[0];
    return combine(b, at, attn::Combine::Add, total, sum);
  }

  attn::ScatterAddOp op;
  KernelFrame frame;
  OpBuilder &b;
  Location at;
  int64_t lanes, rank;
  SmallVector<SizeExpr> extents;        ///< of all loops
  SmallVector<unsigned> subscriptLoops; ///< the loops that are subscripts, in their order
  SmallVector<unsigned> summed;         ///< all others
};

} // namespace

bool hasDistinctTargets(func::FuncOp kernel, attn::ScatterAddOp op) {
  KernelSizes sizes(kernel);
  llvm::SmallBitVector seen(op.getSizes().size());
  // Contiguous columns are better lanes.
  auto subscripts = getTerm(op).getSubscripts();
  if (seen.empty() || (!subscripts.empty() && subscriptLoop(op, subscripts.back()) == seen.size() - 1))
    return false;
  for (auto [dimension, subscript] : llvm::enumerate(subscripts)) {
    SizeExpr extent = sizes.dimension(op.getInit(), dimension); // it bounds the loops, too
    if (std::optional<unsigned> loop = subscriptLoop(op, subscript)) {
      if (seen[*loop] || !(sizes.valueOf(op.getSizes()[*loop]) == extent))
        return false;
      seen.set(*loop);
    } else if (APInt number; !matchPattern(subscript, m_ConstantInt(&number)) || number.isNegative() ||
                             !extent.isConstant() || number.getSExtValue() >= extent.constant()) {
      return false;
    }
  }
  return !seen.all() && cast<RankedTensorType>(op.getResult().getType()).getElementType().isF32();
}

KernelCode emitScatterSums(func::FuncOp kernel, attn::ScatterAddOp op, const Target &target, ModuleOp code) {
  return ScatterSumsEmission(kernel, op, target, code).run(kernel.getSymName());
}

} // namespace attnc
