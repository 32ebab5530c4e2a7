//===- HostFunction.h - what functions of the host code are built with -------------------------------------------===//
//
// HostFunction is a function under construction, with the loads, addresses and comparisons that host code is made of;
// Launcher is the stack of one that launches kernels, and how it does so.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Kernel.h"
#include "dialects/Model/Model.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace attnc {

class HostFunction {
public:
  HostFunction(mlir::ModuleOp code, mlir::Location location, const std::string &symbol,
               llvm::ArrayRef<mlir::Type> arguments, mlir::Type result);

  mlir::OpBuilder builder;
  mlir::Location location;
  mlir::func::FuncOp function;
  mlir::Type pointer, i64;

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

  /// The address of element `element` (index) of an array of pointers or int64_t.
  mlir::Value elementAddress(mlir::Value array, mlir::Value element);
  mlir::Value loadPointer(mlir::Value array, int64_t element) { return loadPointer(array, number(element)); }
  mlir::Value loadPointer(mlir::Value array, mlir::Value element);
  mlir::Value loadNumber(mlir::Value array, int64_t element);
  /// Element `element` (index) of an array of int32_t, as an index.
  mlir::Value loadNumber32(mlir::Value array, mlir::Value element);
  void store(mlir::Value value, mlir::Value array, int64_t element);
  /// `address` and `bytes` (index) further on.
  mlir::Value advance(mlir::Value address, mlir::Value bytes);
  /// Room on the stack for `count` pointers or int64_t.
  mlir::Value stackArray(int64_t count);
  void returnValue(mlir::Value value);

  /// Is each dimension in its least size..its bound?
  mlir::Value dimensionsInRange(llvm::ArrayRef<mlir::Value> dimensions, mlir::func::FuncOp entry);
};

class Launcher {
public:
  /// There is room for launches of so many buffers and sizes.
  Launcher(HostFunction &host, mlir::Value frame, size_t maxBuffers, size_t maxSizes);

  mlir::Value workers();
  mlir::Value result(); ///< i32, an attn_code
  void fail(attn_code code);

  /// Runs all phases of a kernel. `shared` and `scratch` may be null pointers where it wants none.
  void launch(llvm::ArrayRef<KernelPhase> phases, llvm::ArrayRef<mlir::Value> tensors,
              llvm::ArrayRef<mlir::Value> symbols, mlir::Value shared, mlir::Value scratch, mlir::Value stride);

private:
  HostFunction &host;
  mlir::Value buffers, sizes, args, status, executor, parallelFor, self;
};

} // namespace attnc
