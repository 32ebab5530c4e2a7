#include "compiler/Codegen/GPU/Moves/MoveKernels.h"
#include "compiler/Codegen/GPU/Nest/DeviceFrame.h"
#include "compiler/Codegen/Nest/LoopBuilder.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace attnc {

/// Builder of a device function on bare pointers and numbers.
class MoveFunction : public LoopBuilder {
public:
  MoveFunction(OpBuilder &builder, func::FuncOp function, int64_t buffers)
      : LoopBuilder(builder, function.getLoc(), /*lanes=*/1), function(function), numBuffers(buffers) {
    auto number = [&](Value id) {
      return arith::IndexCastUIOp::create(builder, location, builder.getIndexType(), id).getResult();
    };
    Type i32 = builder.getI32Type();
    Value block = number(NVVM::BlockIdXOp::create(builder, location, i32));
    thread = add(mul(block, blockThreads), number(NVVM::ThreadIdXOp::create(builder, location, i32)));
  }

  Value thread; ///< index: the thread's number in the launch

  Value buffer(int64_t number) { return function.getArgument(number); }
  Value size(int64_t number) {
    Value argument = function.getArgument(numBuffers + number);
    return arith::IndexCastOp::create(builder, location, builder.getIndexType(), argument);
  }

  /// Loads element `element` of an array of int32_t, as an index.
  Value number32(Value array, Value element) {
    Type i32 = builder.getI32Type();
    Value loaded = LLVM::LoadOp::create(builder, location, i32, at(array, element, sizeof(int32_t)), sizeof(int32_t));
    return arith::IndexCastOp::create(builder, location, builder.getIndexType(), loaded);
  }
  /// Moves `bytes` bytes, a power of two, from one address to another.
  void move(Value to, Value from, int64_t bytes) {
    Type unit = builder.getIntegerType(8 * static_cast<unsigned>(std::min<int64_t>(bytes, 4)));
    Type type = bytes > 4 ? Type(VectorType::get({bytes / 4}, unit)) : unit;
    Value value = LLVM::LoadOp::create(builder, location, type, from, static_cast<unsigned>(bytes));
    LLVM::StoreOp::create(builder, location, value, to, static_cast<unsigned>(bytes));
  }
  /// The address of element `element` (index) of `array`, whose elements have `bytes` bytes.
  Value at(Value array, Value element, int64_t bytes) {
    Value offset = arith::IndexCastOp::create(builder, location, builder.getI64Type(), mul(element, bytes));
    return LLVM::GEPOp::create(builder, location, array.getType(), builder.getI8Type(), array, ValueRange{offset});
  }

  Value negate(Value bit) { return compare(arith::CmpIPredicate::eq, bit, boolean(false)); }
  /// Whether the first two buffers are aligned to `bytes`.
  Value areAligned(int64_t bytes) {
    auto address = [&](Value buffer) {
      return LLVM::PtrToIntOp::create(builder, location, builder.getI64Type(), buffer);
    };
    Value any = arith::OrIOp::create(builder, location, address(buffer(0)), address(buffer(1)));
    Value index = arith::IndexCastOp::create(builder, location, builder.getIndexType(), any);
    return compare(arith::CmpIPredicate::eq, rem(index, constant(bytes)), constant(0));
  }

  Value isFull() {
    Value word = number32(function.getArguments().back(), constant(1));
    return compare(arith::CmpIPredicate::ne, word, constant(ATTN_OK));
  }
  void setFull() {
    Value full = arith::ConstantIntOp::create(builder, location, ATTN_FULL, 32);
    LLVM::StoreOp::create(builder, location, full, at(function.getArguments().back(), constant(1), sizeof(int32_t)));
  }

private:
  func::FuncOp function;
  int64_t numBuffers;
};

const KernelPhase &MoveKernels::make(const std::string &symbol, int64_t buffers, int64_t sizes, const SizeExpr &threads,
                                     llvm::function_ref<void(MoveFunction &)> body) {
  auto [position, isNew] = phases.try_emplace(symbol);
  if (!isNew)
    return position->second.phase;
  position->second = {{symbol, threads.ceilDiv(blockThreads), blockThreads}, buffers, sizes};
  OpBuilder builder = OpBuilder::atBlockEnd(code.getBody());
  Type pointer = LLVM::LLVMPointerType::get(code.getContext());
  SmallVector<Type> types(buffers, pointer);
  types.append(sizes, builder.getI64Type());
  types.append(2, pointer);
  auto function = func::FuncOp::create(builder, code.getLoc(), symbol, builder.getFunctionType(types, {}));
  function->setAttr(threadsAttrName, builder.getI64IntegerAttr(blockThreads));
  builder.setInsertionPointToStart(function.addEntryBlock());
  auto end = func::ReturnOp::create(builder, code.getLoc());
  builder.setInsertionPoint(end);
  MoveFunction made(builder, function, buffers);
  body(made);
  return position->second.phase;
}

const KernelPhase &MoveKernels::copy() {
  SizeExpr threads = SizeExpr::symbol(0).ceilDiv(deviceAlignment);
  return make("move$copy", 2, 1, threads, [](MoveFunction &b) {
    Value bytes = b.size(0), first = b.mul(b.thread, deviceAlignment), end = b.add(first, deviceAlignment);
    auto moveBy = [&](int64_t unit, Value until) {
      b.loop(first, until, b.constant(unit),
             [&](Value at) { b.move(b.at(b.buffer(0), at, 1), b.at(b.buffer(1), at, 1), unit); });
    };
    // Elements of per-iteration lists have arbitrary alignment and length.
    Value isWhole = b.compare(arith::CmpIPredicate::sle, end, bytes);
    Value areWhole = b.both(isWhole, b.areAligned(deviceAlignment)), areWords = b.both(isWhole, b.areAligned(4));
    b.when(areWhole, [&] { moveBy(deviceAlignment, end); });
    b.when(b.both(areWords, b.negate(areWhole)), [&] { moveBy(4, end); });
    b.when(b.negate(areWords), [&] { moveBy(1, b.min(end, bytes)); });
  });
}

const KernelPhase &MoveKernels::append(const AppendVariant &form) {
  std::string symbol = "move$append" + std::to_string(form.unit) + (form.ring ? "_ring" : "") +
                       (form.counts ? "_counts" : "") + (form.isState ? "_state" : "") + (form.isStep ? "_step" : "");
  SizeExpr threads = SizeExpr::symbol(0) * SizeExpr::symbol(1) * SizeExpr::symbol(3);
  return make(symbol, form.counts ? 4 : 3, form.isStep ? 8 : 6, threads, [&form](MoveFunction &b) {
    Value outer = b.size(0), positions = b.size(1), capacity = b.size(2), units = b.size(3);
    Value isInside = b.less(b.thread, b.mul(outer, b.mul(positions, units)));
    b.when(isInside, [&] {
      auto at = b.delinearise(b.thread, {outer, positions, units});
      Value row = b.rem(b.div(at[0], b.size(4)), b.size(5));
      Value ofCall = form.isStep ? b.size(7) : positions, number = form.isStep ? b.add(b.size(6), at[1]) : at[1];
      Value before = b.number32(b.buffer(2), row), count = form.counts ? b.number32(b.buffer(3), row) : ofCall;
      Value taken = b.less(number, count);
      if (form.isState)
        taken = b.both(taken, b.negate(b.isFull()));
      if (form.ring) // a ring cache keeps the last positions
        taken = b.both(taken, b.compare(arith::CmpIPredicate::sge, number, b.sub(count, capacity)));
      else if (!form.isState) // invalid lengths have set the status already; they must not write out of bounds
        before = b.max(b.min(before, b.sub(capacity, count)), b.constant(0));
      Value position = b.add(before, number);
      if (form.ring)
        position = b.rem(position, capacity);
      b.when(taken, [&] {
        Value to = b.linearise({at[0], position, at[2]}, {outer, capacity, units});
        b.move(b.at(b.buffer(0), to, form.unit), b.at(b.buffer(1), b.thread, form.unit), form.unit);
      });
    });
  });
}

const KernelPhase &MoveKernels::checkRoom(bool ring, bool counts) {
  std::string symbol = std::string("move$room") + (ring ? "_ring" : "") + (counts ? "_counts" : "");
  return make(symbol, counts ? 2 : 1, 3, SizeExpr::symbol(0), [&](MoveFunction &b) {
    b.when(b.less(b.thread, b.size(0)), [&] {
      Value positions = b.size(1), capacity = b.size(2), before = b.number32(b.buffer(0), b.thread);
      Value bad = b.less(before, b.constant(0)), count = positions;
      if (counts) {
        count = b.number32(b.buffer(1), b.thread);
        bad = b.either(bad, b.either(b.less(count, b.constant(0)), b.less(positions, count)));
      }
      if (!ring)
        bad = b.either(bad, b.less(capacity, b.add(before, count)));
      b.when(bad, [&] { b.setFull(); });
    });
  });
}

std::vector<MovePhase> MoveKernels::made() const {
  std::vector<MovePhase> all;
  for (const auto &[symbol, phase] : phases)
    all.push_back(phase);
  return all;
}

} // namespace attnc
