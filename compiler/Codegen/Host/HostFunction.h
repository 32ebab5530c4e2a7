//===- HostFunction.h - builders of host functions and of kernel launches -----------------------------------------===//
//
// HostFunction builds a function, with the loads, addresses and comparisons of host code. Launcher builds the stack
// frame and the calls of a function that launches kernels.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Kernel.h"
#include "dialects/Model/Model.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace attnc {

/// A host function. Values are index unless stated otherwise; arrays and addresses are !llvm.ptr.
class HostFunction {
public:
  /// Creates the function `symbol` at the end of `code`. The builder inserts into its body, which the caller ends by
  /// returnValue(), or by returnNothing() if `result` is null.
  HostFunction(mlir::ModuleOp code, mlir::Location location, const std::string &symbol,
               llvm::ArrayRef<mlir::Type> arguments, mlir::Type result);

  mlir::OpBuilder builder;
  mlir::Location location;
  mlir::func::FuncOp function;
  mlir::Type pointer, i64; ///< the types !llvm.ptr and i64

  mlir::Value number(int64_t value) { return mlir::arith::ConstantIndexOp::create(builder, location, value); }
  mlir::Value number32(int32_t value) { return mlir::arith::ConstantIntOp::create(builder, location, value, 32); }
  mlir::Value bit(bool value) { return mlir::arith::ConstantIntOp::create(builder, location, value, 1); }
  mlir::Value null() { return mlir::LLVM::ZeroOp::create(builder, location, pointer); }
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

  /// Emits the address, a load, or a store of element `element` of an array of pointers or int64_t. loadNumber loads an
  /// int64_t as an index; `store` takes a pointer or an i64.
  mlir::Value elementAddress(mlir::Value array, mlir::Value element);
  mlir::Value loadPointer(mlir::Value array, int64_t element) { return loadPointer(array, number(element)); }
  mlir::Value loadPointer(mlir::Value array, mlir::Value element);
  mlir::Value loadNumber(mlir::Value array, int64_t element);
  /// Loads element `element` of an array of int32_t, as an index.
  mlir::Value loadNumber32(mlir::Value array, mlir::Value element);
  void store(mlir::Value value, mlir::Value array, int64_t element);
  /// Emits `address` plus `bytes`.
  mlir::Value advance(mlir::Value address, mlir::Value bytes);
  /// Emits a stack array of `count` pointers or int64_t.
  mlir::Value stackArray(int64_t count);
  void returnValue(mlir::Value value);
  void returnNothing();

  /// Emits the check (i1) that each dimension is between the minimum and the maximum in `model.dimensions` of the entry
  /// point; a negative maximum is no limit.
  mlir::Value dimensionsInRange(llvm::ArrayRef<mlir::Value> dimensions, mlir::func::FuncOp entry);
};

/// The launches of one host function, whose attn_kernel_args and status are on its stack.
class Launcher {
public:
  /// Allocates the stack frame for launches of at most `maxBuffers` buffers and `maxSizes` sizes, and sets the status
  /// to ATTN_OK. `frame` is the address of an attn_frame.
  Launcher(HostFunction &host, mlir::Value frame, size_t maxBuffers, size_t maxSizes);

  mlir::Value workers();     ///< emits a load of the executor's number of workers, for the size of scratch
  mlir::Value result();      ///< emits a load of the status: i32, an attn_code
  void fail(attn_code code); ///< emits a store of `code` to the status

  /// Emits launches of all phases of a kernel, in order. Each launch is a call of the executor's parallel_for with the
  /// number of chunks; the executor chooses the threads (runtime/src/threads.c). `tensors` are the addresses of
  /// operands, then results, `symbols` the sizes (index) of attn_kernel_args, `stride` the distance of the scratch of
  /// consecutive workers in bytes (index). `shared` and `scratch` may be null pointers if the kernel needs no such
  /// memory.
  void launch(llvm::ArrayRef<KernelPhase> phases, llvm::ArrayRef<mlir::Value> tensors,
              llvm::ArrayRef<mlir::Value> symbols, mlir::Value shared, mlir::Value scratch, mlir::Value stride);

private:
  HostFunction &host;
  mlir::Value buffers, sizes, args, status, executor, parallelFor, self;
};

} // namespace attnc
