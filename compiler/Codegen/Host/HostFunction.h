//===- HostFunction.h - builders of host functions and of kernel launches -----------------------------------------===//
//
// Host code is the code of entry points that runs on a processor between kernels (HostCode.h). HostFunction builds one
// function of it, with loads, addresses and comparisons. Launcher builds the stack frame and the calls of a function
// that launches kernels.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Kernel.h"
#include "dialects/Model/Model.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace attnc {

/// A function under construction. The members below emit ops at the insertion point of `builder` and return their
/// values, which are of type index unless stated otherwise. Addresses are !llvm.ptr. An array is the address of its
/// element 0; its elements are of eight bytes, !llvm.ptr or i64.
class HostFunction {
public:
  /// Creates the public function `symbol` at the end of `code`, with arguments and result of the given types. The
  /// builder inserts into its body, which the caller ends by returnValue(), or by returnNothing() if `result` is null.
  HostFunction(mlir::ModuleOp code, mlir::Location location, const std::string &symbol,
               llvm::ArrayRef<mlir::Type> arguments, mlir::Type result);

  mlir::OpBuilder builder;
  mlir::Location location; ///< of the ops that are emitted next; callers may change it
  mlir::func::FuncOp function;
  mlir::Type pointer, i64; ///< the types !llvm.ptr and i64

  // Constants: index, i32, i1, and a null pointer.
  mlir::Value number(int64_t value) { return mlir::arith::ConstantIndexOp::create(builder, location, value); }
  mlir::Value number32(int32_t value) { return mlir::arith::ConstantIntOp::create(builder, location, value, 32); }
  mlir::Value bit(bool value) { return mlir::arith::ConstantIntOp::create(builder, location, value, 1); }
  mlir::Value null() { return mlir::LLVM::ZeroOp::create(builder, location, pointer); }
  // Conversions between index and signed integers, and arithmetic; `both` is the conjunction (i1) of two i1, and
  // `compare` returns an i1.
  mlir::Value toI64(mlir::Value index) { return builder.createOrFold<mlir::arith::IndexCastOp>(location, i64, index); }
  mlir::Value toIndex(mlir::Value value) {
    return builder.createOrFold<mlir::arith::IndexCastOp>(location, builder.getIndexType(), value);
  }
  mlir::Value add(mlir::Value a, mlir::Value b) { return builder.createOrFold<mlir::arith::AddIOp>(location, a, b); }
  mlir::Value times(mlir::Value a, mlir::Value b) { return builder.createOrFold<mlir::arith::MulIOp>(location, a, b); }
  mlir::Value both(mlir::Value a, mlir::Value b) { return mlir::arith::AndIOp::create(builder, location, a, b); }
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value a, mlir::Value b) {
    return mlir::arith::CmpIOp::create(builder, location, predicate, a, b);
  }

  /// Emits the address, a load, or a store of element number `element` of an array. loadNumber loads an i64 as an
  /// index; the `value` of `store` is a !llvm.ptr or an i64.
  mlir::Value elementAddress(mlir::Value array, mlir::Value element);
  mlir::Value loadPointer(mlir::Value array, int64_t element) { return loadPointer(array, number(element)); }
  mlir::Value loadPointer(mlir::Value array, mlir::Value element);
  mlir::Value loadNumber(mlir::Value array, int64_t element);
  /// Loads element number `element` of an array of signed 32-bit integers, as an index.
  mlir::Value loadNumber32(mlir::Value array, mlir::Value element);
  void store(mlir::Value value, mlir::Value array, int64_t element);
  /// Emits `address` plus `bytes`: !llvm.ptr.
  mlir::Value advance(mlir::Value address, mlir::Value bytes);
  /// Emits an alloca for an array of `count` elements (of one, if `count` is 0), without values. Each execution of the
  /// alloca needs stack memory, so callers emit it outside of loops.
  mlir::Value stackArray(int64_t count);
  void returnValue(mlir::Value value); ///< `value` has the result type of the function
  void returnNothing();

  /// Emits the check (i1) that each of `dimensions` is between the minimum and the maximum in `model.dimensions` of the
  /// entry point. Value n of `dimensions` is the entry point's dimension n. A negative maximum is no limit.
  mlir::Value dimensionsInRange(llvm::ArrayRef<mlir::Value> dimensions, mlir::func::FuncOp entry);
};

/// Emits the launches of one host function. They share one attn_kernel_args and one status on the stack.
class Launcher {
public:
  /// Allocates the stack frame for launches of at most `maxBuffers` buffers and `maxSizes` sizes, sets the status to
  /// ATTN_OK, and loads the executor, all at the insertion point of `host`, which outlives this object. `frame` is the
  /// address of an attn_frame.
  Launcher(HostFunction &host, mlir::Value frame, size_t maxBuffers, size_t maxSizes);

  mlir::Value workers();     ///< emits a load of the executor's number of workers (index), at least 1
  mlir::Value result();      ///< emits a load of the status: i32, an attn_code
  void fail(attn_code code); ///< emits a store of `code` to the status

  /// Emits the launch of a kernel: for each phase, in order, a call of the executor's parallel_for with the number of
  /// chunks. The executor chooses the threads (runtime/src/threads.c). `tensors` are the addresses of operands, then
  /// results. `symbols` are the sizes (index) of attn_kernel_args; KernelPhase::chunks is a function of them.
  /// `shared` is the address of KernelCode::sharedBytes of scratch, `scratch` that of the workers' scratch, and
  /// `stride` the bytes (index) from the scratch of one worker to that of the next. `shared` and `scratch` may be
  /// null pointers if the kernel needs no such memory.
  void launch(llvm::ArrayRef<KernelPhase> phases, llvm::ArrayRef<mlir::Value> tensors,
              llvm::ArrayRef<mlir::Value> symbols, mlir::Value shared, mlir::Value scratch, mlir::Value stride);

private:
  HostFunction &host;
  mlir::Value buffers, sizes, args, status, executor, parallelFor, self;
};

} // namespace attnc
