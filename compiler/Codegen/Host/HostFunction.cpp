#include "compiler/Codegen/Host/HostFunction.h"

using namespace mlir;

namespace attnc {

HostFunction::HostFunction(ModuleOp code, Location location, const std::string &symbol, ArrayRef<Type> arguments,
                           Type result)
    : builder(code.getContext()), location(location) {
  builder.setInsertionPointToEnd(code.getBody());
  auto type = builder.getFunctionType(arguments, result ? TypeRange(result) : TypeRange());
  function = func::FuncOp::create(builder, location, symbol, type);
  builder.setInsertionPointToStart(function.addEntryBlock());
  pointer = LLVM::LLVMPointerType::get(code.getContext());
  i64 = builder.getI64Type();
}

Value HostFunction::elementAddress(Value array, Value element) {
  return LLVM::GEPOp::create(builder, location, pointer, i64, array, ValueRange{toI64(element)});
}

Value HostFunction::loadPointer(Value array, Value element) {
  return LLVM::LoadOp::create(builder, location, pointer, elementAddress(array, element));
}

Value HostFunction::loadNumber(Value array, int64_t element) {
  return toIndex(LLVM::LoadOp::create(builder, location, i64, elementAddress(array, number(element))));
}

Value HostFunction::loadNumber32(Value array, Value element) {
  Type i32 = builder.getI32Type();
  Value address = LLVM::GEPOp::create(builder, location, pointer, i32, array, ValueRange{toI64(element)});
  return toIndex(LLVM::LoadOp::create(builder, location, i32, address));
}

void HostFunction::store(Value value, Value array, int64_t element) {
  LLVM::StoreOp::create(builder, location, value, elementAddress(array, number(element)));
}

Value HostFunction::advance(Value address, Value bytes) {
  return LLVM::GEPOp::create(builder, location, pointer, builder.getI8Type(), address, ValueRange{toI64(bytes)});
}

Value HostFunction::stackArray(int64_t count) {
  Value size = arith::ConstantIntOp::create(builder, location, std::max<int64_t>(count, 1), 64);
  return LLVM::AllocaOp::create(builder, location, pointer, i64, size, 8);
}

void HostFunction::returnValue(Value value) { func::ReturnOp::create(builder, location, value); }

void HostFunction::returnNothing() { func::ReturnOp::create(builder, location); }

Value HostFunction::dimensionsInRange(ArrayRef<Value> dimensions, func::FuncOp entry) {
  Value result = bit(true);
  auto bounds = entry->getAttrOfType<ArrayAttr>(model::dimensionsAttrName);
  for (auto [position, dimension] : llvm::enumerate(dimensions)) {
    auto bound = cast<model::DimensionAttr>(bounds[position]);
    result = both(result, compare(arith::CmpIPredicate::sge, dimension, number(bound.getMin())));
    if (bound.getMax() >= 0)
      result = both(result, compare(arith::CmpIPredicate::sle, dimension, number(bound.getMax())));
  }
  return result;
}

Launcher::Launcher(HostFunction &host, Value frame, size_t maxBuffers, size_t maxSizes) : host(host) {
  buffers = host.stackArray(maxBuffers);
  sizes = host.stackArray(maxSizes);
  args = host.stackArray(abi::argsWords);
  status = host.stackArray(1);
  fail(ATTN_OK);
  host.store(buffers, args, abi::argsBuffers);
  host.store(sizes, args, abi::argsSizes);
  host.store(status, args, abi::argsStatus);
  executor = host.loadPointer(frame, abi::frameExecutor);
  parallelFor = host.loadPointer(executor, abi::executorParallelFor);
  self = host.loadPointer(executor, abi::executorSelf);
}

Value Launcher::workers() { return host.loadNumber(executor, abi::executorWorkers); }

Value Launcher::result() {
  return LLVM::LoadOp::create(host.builder, host.location, host.builder.getI32Type(), status);
}

void Launcher::fail(attn_code code) { LLVM::StoreOp::create(host.builder, host.location, host.number32(code), status); }

void Launcher::launch(ArrayRef<KernelPhase> phases, ArrayRef<Value> tensors, ArrayRef<Value> symbols, Value shared,
                      Value scratch, Value stride) {
  for (auto [position, tensor] : llvm::enumerate(tensors))
    host.store(tensor, buffers, position);
  for (auto [position, size] : llvm::enumerate(symbols))
    host.store(host.toI64(size), sizes, position);
  host.store(shared, args, abi::argsShared);
  auto phaseType = host.builder.getFunctionType({host.pointer, host.i64, host.pointer}, {});
  auto executorType =
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(host.builder.getContext()),
                                  {host.pointer, host.pointer, host.pointer, host.i64, host.pointer, host.i64});
  for (const KernelPhase &phase : phases) {
    Value function = func::ConstantOp::create(host.builder, host.location, phaseType, phase.symbol);
    Value address =
        UnrealizedConversionCastOp::create(host.builder, host.location, host.pointer, function).getResult(0);
    Value chunks = host.toI64(phase.chunks.materialise(host.builder, host.location, symbols));
    LLVM::CallOp::create(host.builder, host.location, executorType,
                         ValueRange{parallelFor, self, address, args, chunks, scratch, host.toI64(stride)});
  }
}

} // namespace attnc
