// Emits a loops kernel that adds terms to elements by subscripts (attn.scatter_add): the gradient of a gather.
//
// If the result may share the buffer of the initial tensor, the kernel compares their addresses and copies only if they
// differ.
//
// Several terms may be added to one element, so their order affects the result. If the last loop is the last subscript,
// as for the rows of an embedding, columns are independent: a chunk has some columns and adds the terms of all tuples
// of the other loops to them in order, so the bits do not depend on the schedule of chunks. If the first subscripts are
// the first loops instead, as in the gradient of x[b, t, at[b, i]], a chunk has some iterations of these loops.
// Otherwise there is one chunk. If each subscript is the index of a loop of its own, the kernel is a scatter of sums
// (ScatterSums.h).
#include "compiler/Codegen/CPU/Loops/Loops.h"
#include "compiler/Codegen/CPU/Loops/ScatterSums.h"
#include "compiler/Codegen/Kernels/Loops/LoopSchedule.h"
#include "compiler/Codegen/Nest/LoopNest.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace attnc {

namespace {

constexpr int64_t columnsPerChunk = 64; // a cache line of 16 floats, four times
/// Fewer terms are in the cache of the core that has computed them. Another core would fetch them, and the first core
/// would fetch their lines again for its next terms. Without a common cache, this takes longer than the sums.
constexpr int64_t termsPerChunk = 1 << 19;

bool dependsOn(Value value, Value other) {
  if (value == other)
    return true;
  Operation *op = value.getDefiningOp();
  return op && llvm::any_of(op->getOperands(), [&](Value operand) { return dependsOn(operand, other); });
}

class ScatterEmission {
public:
  ScatterEmission(func::FuncOp kernel, attn::ScatterAddOp op, const Target &target, ModuleOp code)
      : op(op), term(cast<attn::TermOp>(op.getBody().front().getTerminator())),
        frame(kernel, kernel.getSymName(), code), b(frame.builder), at(frame.location), lanes(target.f32Lanes),
        rank(cast<RankedTensorType>(op.getResult().getType()).getRank()) {}

  KernelCode run(StringRef symbol) {
    SizeExpr chunks(1), points(1);
    for (Value size : op.getSizes())
      points = points * frame.sizes.valueOf(size);
    bool byColumns = hasColumns();
    if (byColumns)
      chunks = divideColumns();
    else if (countLeading(); leading > 0)
      chunks = divideLeading();
    auto copies = scf::IfOp::create(b, at, isCopied());
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(copies.thenBlock());
      start(byColumns);
    }
    addTerms(byColumns);
    KernelCost cost{points, frame.sizes.bytesRead(), frame.sizes.bytesWritten()};
    return {{{symbol.str(), chunks}}, 0, 0, cost};
  }

private:
  Value constant(int64_t value) { return arith::ConstantIndexOp::create(b, at, value); }

  /// Whether the last subscript is the last loop, over all columns, and no other subscript depends on it.
  bool hasColumns() {
    auto subscripts = term.getSubscripts();
    if (rank == 0 || op.getSizes().empty() || subscripts.back() != op.getBody().getArguments().back())
      return false;
    if (!(frame.sizes.valueOf(op.getSizes().back()) == frame.sizes.dimension(op.getResult(), rank - 1)))
      return false;
    return llvm::none_of(subscripts.drop_back(),
                         [&](Value each) { return dependsOn(each, op.getBody().getArguments().back()); });
  }

  /// Counts the first subscripts that are the first loops, in order and over all elements, so that these loops divide
  /// the result.
  void countLeading() {
    auto subscripts = term.getSubscripts();
    auto isLoop = [&](unsigned number) {
      return number < rank && number < op.getSizes().size() && subscripts[number] == op.getBody().getArgument(number) &&
             frame.sizes.valueOf(op.getSizes()[number]) == frame.sizes.dimension(op.getInit(), number);
    };
    while (isLoop(leading))
      ++leading;
  }

  /// Sets the range of this chunk, and returns the number of chunks.
  SizeExpr divideColumns() {
    SizeExpr columns = frame.sizes.dimension(op.getResult(), rank - 1);
    if (columns.isConstant() && columns.constant() > 0 &&
        (columns.constant() < columnsPerChunk || columns.constant() % columnsPerChunk == 0))
      width = std::min(columns.constant(), columnsPerChunk);
    return divide(columns, columnsPerChunk);
  }
  SizeExpr divideLeading() {
    SizeExpr all(1);
    int64_t terms = 1; // of an iteration of the leading loops
    for (auto [loop, size] : llvm::enumerate(op.getSizes())) {
      SizeExpr extent = frame.sizes.valueOf(size);
      if (loop < leading)
        all = all * extent;
      else
        terms *= std::max<int64_t>(assumedSize(extent), 1);
    }
    return divide(all, std::max<int64_t>(termsPerChunk / terms, 1));
  }
  SizeExpr divide(const SizeExpr &all, int64_t perChunk) {
    first = arith::MulIOp::create(b, at, frame.chunk, constant(perChunk));
    last = arith::MinSIOp::create(b, at, arith::AddIOp::create(b, at, first, constant(perChunk)), frame.size(all));
    return all.ceilDiv(perChunk);
  }

  using Visit = llvm::function_ref<void(RegionVectoriser &, ArrayRef<LaneIndex>)>;

  /// Calls `prepare` and then `body` for each tuple of `extents` in this chunk, in order; with columns, `prepare`
  /// without the last index, and then `body` for each vector of them.
  void visit(ArrayRef<SizeExpr> extents, bool byColumns, Visit prepare, Visit body) {
    SizeExpr count(1), inner(1); // inner: without the leading loops
    SmallVector<Value> sizes;
    for (const SizeExpr &each : byColumns ? extents.drop_back() : extents) {
      inner = sizes.size() < leading ? inner : inner * each;
      count = count * each;
      sizes.push_back(frame.size(each));
    }
    auto timesInner = [&](Value number) { return arith::MulIOp::create(b, at, number, frame.size(inner)); };
    Value from = leading ? timesInner(first) : constant(0), to = leading ? timesInner(last) : frame.size(count);
    eachElement(b, at, from, to, sizes, [&](ArrayRef<LaneIndex> indices) {
      RegionVectoriser outside(b, at, lanes);
      frame.bindTo(outside);
      prepare(outside, indices);
      if (!byColumns)
        return body(outside, indices);
      // With a dynamic number of columns, all vectors after whole blocks are masked: a block is one vector then.
      int64_t unroll = width ? columnsPerChunk / lanes : 1;
      sweep(b, at, first, last, {lanes, unroll, width}, {}, [&](ArrayRef<LanePoint> points) {
        for (const LanePoint &point : points) {
          RegionVectoriser vectoriser = outside;
          if (point.active)
            vectoriser.setActiveLanes(point.active);
          SmallVector<LaneIndex> all(indices);
          all.push_back(point.index);
          body(vectoriser, all);
        }
        return SmallVector<Value>();
      });
    });
  }

  /// Whether the result and the initial tensor have different buffers.
  Value isCopied() {
    auto address = [&](Value buffer) -> Value { return memref::ExtractAlignedPointerAsIndexOp::create(b, at, buffer); };
    return arith::CmpIOp::create(b, at, arith::CmpIPredicate::ne, address(frame.buffer(op.getInit())),
                                 address(frame.result(0)));
  }

  void start(bool byColumns) {
    SmallVector<SizeExpr> extents;
    for (int64_t each = 0; each < rank; ++each)
      extents.push_back(frame.sizes.dimension(op.getResult(), each));
    auto nothing = [](RegionVectoriser &, ArrayRef<LaneIndex>) {};
    visit(extents, byColumns, nothing, [&](RegionVectoriser &vectoriser, ArrayRef<LaneIndex> subscripts) {
      vectoriser.store(vectoriser.load(op.getInit(), subscripts), frame.result(0), subscripts);
    });
  }

  void addTerms(bool byColumns) {
    SmallVector<SizeExpr> extents;
    for (Value size : op.getSizes())
      extents.push_back(frame.sizes.valueOf(size));
    auto bind = [&](RegionVectoriser &vectoriser, ArrayRef<LaneIndex> indices) {
      for (auto [argument, index] : llvm::zip(op.getBody().getArguments(), indices))
        vectoriser.bindIndex(argument, index);
    };
    SmallVector<LaneIndex> targets; // subscripts without the columns
    auto findTargets = [&](RegionVectoriser &vectoriser, ArrayRef<LaneIndex> indices) {
      bind(vectoriser, indices);
      targets.clear();
      auto subscripts = term.getSubscripts();
      for (auto [dimension, each] : llvm::enumerate(byColumns ? subscripts.drop_back() : subscripts))
        targets.push_back(inRange(vectoriser.evaluateIndex(each), dimension));
    };
    visit(extents, byColumns, findTargets, [&](RegionVectoriser &vectoriser, ArrayRef<LaneIndex> indices) {
      bind(vectoriser, indices);
      Value value = vectoriser.evaluate(term.getValue());
      SmallVector<LaneIndex> subscripts = targets;
      if (byColumns)
        subscripts.push_back(indices.back());
      vectoriser.bindBuffer(op.getResult(), frame.result(0));
      Value before = vectoriser.load(op.getResult(), subscripts);
      if (isa<VectorType>(before.getType()))
        value = vectoriser.broadcast(value);
      vectoriser.store(arith::AddFOp::create(b, at, before, value), frame.result(0), subscripts);
    });
  }

  /// The forward gather has reported subscripts out of range; here they are only clamped.
  LaneIndex inRange(LaneIndex subscript, unsigned dimension) {
    Value end = arith::SubIOp::create(b, at, frame.size(frame.sizes.dimension(op.getResult(), dimension)), constant(1));
    Value least = arith::MinSIOp::create(b, at, subscript.base, end);
    subscript.base = arith::MaxSIOp::create(b, at, least, constant(0));
    return subscript;
  }

  attn::ScatterAddOp op;
  attn::TermOp term;
  KernelFrame frame;
  OpBuilder &b;
  Location at;
  int64_t lanes;
  int64_t rank;
  unsigned leading = 0; ///< number of loops whose iterations chunks divide; 0 with columns
  Value first, last;    ///< columns of this chunk, or iterations of the leading loops; null if there is one chunk
  std::optional<int64_t> width; ///< their number, if it is the same in all chunks
};

} // namespace

KernelCode emitScatter(func::FuncOp kernel, attn::ScatterAddOp op, const Target &target, ModuleOp code) {
  KernelCode result = hasDistinctTargets(kernel, op)
                          ? emitScatterSums(kernel, op, target, code)
                          : ScatterEmission(kernel, op, target, code).run(kernel.getSymName());
  // Clamping selects an element even of an empty result, which therefore has no chunk.
  result.phases.front().chunks *= SizeExpr::min(1, KernelSizes(kernel).resultElements(0));
  return result;
}

} // namespace attnc
