#include "compiler/Codegen/GPU/Gemm/FewRows.h"
#include "compiler/Codegen/Kernels/Gemm/GemmResult.h"
#include "compiler/Codegen/Schedule/KernelForms.h"
#include "compiler/Sizes/Divisibility.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace attnc {

namespace {

constexpr int64_t blockWarps = blockThreads / warpThreads;
/// Threads along the columns, if columns are contiguous.
constexpr int64_t columnThreads = 8;
/// Reads of the right operand in flight in a thread.
constexpr int64_t readsAhead = 4;
/// Blocks that keep a device busy; fewest bytes of a block for which split-K pays.
constexpr int64_t manyBlocks = 256, minBytes = 32 << 10;

/// Layout of partial sums in the kernel's scratch, f32: [slice][batch][row][column].
class PartialSums {
public:
  PartialSums(const GemmProblem &problem, DeviceFrame &frame, int64_t rows)
      : frame(frame), code(frame.builder, frame.location, 1), columns(problem.extent(LoopGroup::Column)),
        sliceElements(problem.extent(LoopGroup::Batch) * SizeExpr(rows) * columns), rows(rows) {}

  SizeExpr bytes(int64_t slices) const { return sliceElements * SizeExpr(slices * f32Bytes); }
  /// All numbers index.
  Value pointer(TileBuilder &tiles, Value slice, Value batch, Value row, Value column) {
    Value batchRow = code.mul(code.add(code.mul(batch, rows), row), frame.size(columns));
    Value number = code.add(code.mul(slice, frame.size(sliceElements)), code.add(batchRow, column));
    OpBuilder &b = tiles.builder;
    Value bytes = b.createOrFold<arith::IndexCastOp>(tiles.location, b.getI64Type(), code.mul(number, f32Bytes));
    return tiles.at(frame.sharedScratch(), bytes);
  }

private:
  DeviceFrame &frame;
  FlatBuilder code;
  const SizeExpr columns, sliceElements;
  const int64_t rows;
};

/// Applies the epilogue to a sum and stores it; all numbers are index.
void storeSum(const GemmProblem &problem, DeviceFrame &frame, FlatBuilder &code, Value sum, Value batch, Value row,
              Value column) {
  RegionVectoriser vectoriser(frame.builder, frame.location, 1);
  frame.bindTo(vectoriser);
  SmallVector<LaneIndex> coordinates(problem.loopSizes.size());
  setCoordinates(code, frame, problem, LoopGroup::Batch, batch, coordinates);
  setCoordinates(code, frame, problem, LoopGroup::Row, row, coordinates);
  setCoordinates(code, frame, problem, LoopGroup::Column, column, coordinates);
  storeSums(vectoriser, frame, problem, sum, coordinates);
}

class FewRows {
public:
  FewRows(const GemmProblem &problem, DeviceFrame &frame)
      : problem(problem), frame(frame), tiles(frame.builder, frame.location), code(frame.builder, frame.location, 1),
        left(problem, GemmOperand::Side::Left), right(problem, GemmOperand::Side::Right),
        alongDepth(right.inner() == LoopGroup::Depth), memory(tiles, frame.code) {
    SizeExpr rowsOfProblem = problem.extent(LoopGroup::Row);
    rows = rowsOfProblem.isConstant() ? std::min(rowsOfProblem.constant(), maxFewRows) : maxFewRows;
    int64_t vectorElements = vectorBytes / right.elementBytes();
    bool isWhole = isMultipleOf(problem.extent(alongDepth ? LoopGroup::Depth : LoopGroup::Column), vectorElements);
    lanes = isWhole && right.hasVectors(vectorElements) ? vectorElements : 1;
    columns = alongDepth ? blockWarps : columnThreads * lanes;
    slices = chooseSlices();
    thread = tiles.fromIndex(frame.position.thread);
    lane = tiles.rem(thread, warpThreads);
    warp = tiles.div(thread, warpThreads);
  }

  KernelPhase emit(const std::string &symbol) {
    SizeExpr blocks = problem.extent(LoopGroup::Column).ceilDiv(columns);
    Value blocksAlong = frame.size(blocks), rest = code.div(frame.chunk, slices);
    slice = code.rem(frame.chunk, slices);
    batch = code.div(rest, blocksAlong);
    firstColumn = code.mul(code.rem(rest, blocksAlong), columns);
    int64_t partials = alongDepth ? 1 : blockWarps, offset = memory.allocate(partials * rows * columns * f32Bytes);
    writeShare(offset, threadSums());
    tiles.syncBlock();
    tiles.loop(thread, tiles.constant(rows * columns), blockThreads, {}, [&](Value number, ValueRange) {
      finish(offset, partials, number);
      return TileBuilder::Values();
    });
    SizeExpr all = problem.extent(LoopGroup::Batch) * blocks * SizeExpr(slices);
    return {symbol, all, blockThreads, memory.bytes()};
  }

  int64_t rows;   ///< the largest number of rows
  int64_t slices; ///< slices of the depth

private:
  using Values = TileBuilder::Values;

  /// The depth of a slice: a multiple of the depth that the block's threads process at a time.
  int64_t sliceDepth(int64_t depth, int64_t slices) const {
    int64_t round = warpThreads * (alongDepth ? lanes : 1);
    return static_cast<int64_t>(llvm::divideCeil(llvm::divideCeil(depth, slices), round)) * round;
  }

  int64_t chooseSlices() const {
    SizeExpr depth = problem.extent(LoopGroup::Depth);
    SizeExpr blocks = problem.extent(LoopGroup::Batch) * problem.extent(LoopGroup::Column).ceilDiv(columns);
    if (!depth.isConstant() || !blocks.isConstant() || blocks.constant() == 0 || depth.constant() == 0)
      return 1;
    int64_t blockBytes = depth.constant() * columns * right.elementBytes();
    int64_t wanted = std::min(manyBlocks / blocks.constant(), blockBytes / minBytes);
    if (wanted <= 1)
      return 1;
    return llvm::divideCeil(depth.constant(), sliceDepth(depth.constant(), wanted));
  }

  Value clamped(Value number, LoopGroup group, int64_t further = 1) {
    return code.max(code.min(number, code.sub(frame.size(problem.extent(group)), code.constant(further))),
                    code.constant(0));
  }

  /// Loads elements of an operand at `offset` bytes (index), as f32.
  Value load(const GemmOperand &operand, Value base, Value offset, int64_t count) {
    OpBuilder &b = tiles.builder;
    Value bytes = b.createOrFold<arith::IndexCastOp>(tiles.location, b.getI64Type(), offset);
    auto ofLanes = [&](Type element) { return count == 1 ? element : Type(VectorType::get({count}, element)); };
    Value loaded = LLVM::LoadOp::create(b, tiles.location, ofLanes(operand.element()), tiles.at(base, bytes),
                                        count * operand.elementBytes());
    if (operand.element().isF32())
      return loaded;
    return arith::ExtFOp::create(b, tiles.location, ofLanes(b.getF32Type()), loaded);
  }

  Value zero() {
    OpBuilder &b = tiles.builder;
    Value scalar = arith::ConstantOp::create(b, tiles.location, b.getF32FloatAttr(0));
    return lanes == 1 ? scalar
                      : vector::BroadcastOp::create(b, tiles.location, VectorType::get({lanes}, b.getF32Type()), scalar)
                            .getResult();
  }

  /// This thread's sum for each row, over its part of the depth: a vector or a scalar.
  Values threadSums() {
    Value depth = frame.size(problem.extent(LoopGroup::Depth)), before = code.constant(0);
    if (slices > 1) {
      int64_t each = sliceDepth(problem.extent(LoopGroup::Depth).constant(), slices);
      before = code.mul(slice, each);
      depth = code.min(depth, code.add(before, code.constant(each)));
    }
    int64_t step = alongDepth ? lanes : 1;
    Value start = alongDepth ? tiles.mul(lane, lanes) : tiles.div(thread, columnThreads);
    Value column = alongDepth ? warp : tiles.mul(tiles.rem(thread, columnThreads), lanes);
    Value ofColumn = clamped(code.add(firstColumn, tiles.toIndex(column)), LoopGroup::Column, alongDepth ? 1 : lanes);
    Value rightBase = code.add(right.offset(code, frame, LoopGroup::Batch, batch),
                               right.offset(code, frame, LoopGroup::Column, ofColumn));
    Value leftBatch = left.offset(code, frame, LoopGroup::Batch, batch);
    Values leftBases;
    for (int64_t row = 0; row < rows; ++row)
      leftBases.push_back(
          code.add(leftBatch, left.offset(code, frame, LoopGroup::Row, clamped(code.constant(row), LoopGroup::Row))));
    int64_t stride = warpThreads * step;
    return code.loop(code.add(before, tiles.toIndex(start)), depth, stride * readsAhead, Values(rows, zero()),
                     [&](Value first, ValueRange before) {
                       Values sums(before);
                       for (int64_t each = 0; each < readsAhead; ++each)
                         addProducts(code.add(first, each * stride), depth, rightBase, leftBases, sums);
                       return sums;
                     });
  }

  /// Adds the products at `k` (index) of the depth; nothing past its end.
  void addProducts(Value k, Value depth, Value rightBase, ArrayRef<Value> leftBases, Values &sums) {
    OpBuilder &b = tiles.builder;
    Value isThere = code.less(k, depth), there = clamped(k, LoopGroup::Depth, alongDepth ? lanes : 1);
    Value r = load(right, right.pointer(frame), code.add(rightBase, right.offset(code, frame, LoopGroup::Depth, there)),
                   lanes);
    for (int64_t row = 0; row < rows; ++row) {
      Value l = leftAt(leftBases[row], there);
      Value sum = LLVM::FMAOp::create(b, tiles.location, l, r, sums[row]);
      sums[row] = tiles.choose(isThere, sum, sums[row]);
    }
  }

  /// The elements of left that meet those of right: neighbours along the depth, or one element for all columns.
  Value leftAt(Value base, Value k) {
    OpBuilder &b = tiles.builder;
    auto at = [&](Value depth) { return code.add(base, left.offset(code, frame, LoopGroup::Depth, depth)); };
    if (lanes == 1)
      return load(left, left.pointer(frame), at(k), 1);
    Type type = VectorType::get({lanes}, b.getF32Type());
    if (!alongDepth)
      return vector::BroadcastOp::create(b, tiles.location, type, load(left, left.pointer(frame), at(k), 1));
    if (left.inner() == LoopGroup::Depth && left.hasVectors(lanes) && left.elementBytes() == right.elementBytes())
      return load(left, left.pointer(frame), at(k), lanes);
    Values elements;
    for (int64_t each = 0; each < lanes; ++each)
      elements.push_back(load(left, left.pointer(frame), at(code.add(k, each)), 1));
    return vector::FromElementsOp::create(b, tiles.location, type, elements);
  }

  /// Pointer in shared memory to the sum of a row and a column in the partial result with number `partial` (i32).
  Value partialPointer(int64_t offset, Value partial, Value row, Value column) {
    Value number = tiles.add(tiles.mul(tiles.add(tiles.mul(partial, rows), row), columns), column);
    return tiles.at(memory.base, tiles.add(tiles.mul(number, f32Bytes), offset));
  }

  /// Reduces the sums of lanes with the same columns, and writes them.
  void writeShare(int64_t offset, ValueRange sums) {
    OpBuilder &b = tiles.builder;
    for (int64_t row = 0; row < rows; ++row) {
      Values each;
      for (int64_t at = 0; at < lanes; ++at)
        each.push_back(
            lanes == 1 ? sums[row]
                       : vector::ExtractOp::create(b, tiles.location, sums[row], ArrayRef<int64_t>{at}).getResult());
      for (size_t at = 1; alongDepth && at < each.size(); ++at)
        each[0] = code.addf(each[0], each[at]);
      each.resize(alongDepth ? 1 : lanes);
      for (Value &sum : each)
        for (int64_t distance = warpThreads / 2; distance >= (alongDepth ? 1 : columnThreads); distance /= 2)
          sum = code.addf(sum, tiles.shuffleXor(sum, distance));
      Value writers = tiles.constant(alongDepth ? 1 : columnThreads);
      tiles.when(tiles.less(lane, writers), [&] {
        for (auto [at, sum] : llvm::enumerate(each)) {
          Value column = alongDepth ? warp : tiles.add(tiles.mul(lane, lanes), at);
          Value partial = alongDepth ? tiles.constant(0) : warp;
          tiles.store(sum, partialPointer(offset, partial, tiles.constant(row), column));
        }
      });
    }
  }

  /// Sum number `number` (i32) of the block: applies the epilogue or, with split-K, stores it in the scratch.
  void finish(int64_t offset, int64_t partials, Value number) {
    Value row = tiles.div(number, columns), column = tiles.rem(number, columns);
    Value at = code.add(firstColumn, tiles.toIndex(column)), rowIndex = tiles.toIndex(row);
    Value isThere = code.both(code.less(at, frame.size(problem.extent(LoopGroup::Column))),
                              code.less(rowIndex, frame.size(problem.extent(LoopGroup::Row))));
    tiles.when(isThere, [&] {
      Value sum;
      for (int64_t partial = 0; partial < partials; ++partial) {
        Value pointer = partialPointer(offset, tiles.constant(partial), row, column);
        Value next = tiles.load(tiles.builder.getF32Type(), pointer);
        sum = sum ? code.addf(sum, next) : next;
      }
      if (slices > 1)
        tiles.store(sum, PartialSums(problem, frame, rows).pointer(tiles, slice, batch, rowIndex, at));
      else
        storeSum(problem, frame, code, sum, batch, rowIndex, at);
    });
  }

  const GemmProblem &problem;
  DeviceFrame &frame;
  TileBuilder tiles;
  FlatBuilder code;
  GemmOperand left, right;
  const bool alongDepth; ///< whether right is contiguous along the depth
  BlockMemory memory;
  int64_t lanes, columns;          ///< lanes: elements of right that a thread reads at once; columns: of a block
  Value thread, lane, warp;        ///< i32
  Value slice, batch, firstColumn; ///< index
};

} // namespace

/// Adds the slices in order, one element of the result for each thread.
static KernelPhase emitSliceSum(const GemmProblem &problem, int64_t maxRows, int64_t slices, const std::string &symbol,
                                ModuleOp module) {
  func::FuncOp kernel = problem.kernel;
  DeviceFrame frame(kernel, symbol, module);
  TileBuilder tiles(frame.builder, frame.location);
  FlatBuilder code(frame.builder, frame.location, 1);
  PartialSums sums(problem, frame, maxRows);
  SizeExpr rowsOfProblem = problem.extent(LoopGroup::Row), columnsOfProblem = problem.extent(LoopGroup::Column);
  SizeExpr elements = problem.extent(LoopGroup::Batch) * rowsOfProblem * columnsOfProblem;
  Value number = code.add(code.mul(frame.chunk, blockThreads), frame.position.thread);
  tiles.when(code.less(number, frame.size(elements)), [&] {
    Value rows = frame.size(rowsOfProblem), columns = frame.size(columnsOfProblem);
    Value column = code.rem(number, columns), matrixRow = code.div(number, columns);
    Value batch = code.div(matrixRow, rows), row = code.rem(matrixRow, rows), sum;
    for (int64_t slice = 0; slice < slices; ++slice) {
      Value pointer = sums.pointer(tiles, code.constant(slice), batch, row, column);
      Value next = tiles.load(frame.builder.getF32Type(), pointer);
      sum = sum ? code.addf(sum, next) : next;
    }
    storeSum(problem, frame, code, sum, batch, row, column);
  });
  return {symbol, elements.ceilDiv(blockThreads), blockThreads};
}

FewRowsCode emitFewRows(const GemmProblem &problem, const std::string &symbol, ModuleOp code) {
  func::FuncOp kernel = problem.kernel;
  DeviceFrame frame(kernel, symbol, code);
  FewRows products(problem, frame);
  FewRowsCode result;
  result.phases.push_back(products.emit(symbol));
  recordForm(kernel, symbol, KernelForm::FewRows, {{"mc", products.rows}});
  if (products.slices == 1)
    return result;
  recordForm(kernel, symbol + "$sum", KernelForm::Merge);
  result.phases.push_back(emitSliceSum(problem, products.rows, products.slices, symbol + "$sum", code));
  result.sharedBytes = PartialSums(problem, frame, products.rows).bytes(products.slices);
  return result;
}

} // namespace attnc
