//===- SharedArray.h - memory that the threads of a block share -------------------------------------------------===//
//
// Elements of f32 or i32 in shared memory. What one thread stores another one may load behind a wait of a group that
// both are in (ThreadGroup.h).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Nest/DeviceFrame.h"

namespace attnc {

class SharedArray {
public:
  /// `name` is its own among those of the phase.
  SharedArray(const ThreadPlace &place, const std::string &name, int64_t count, mlir::OpBuilder &builder,
              mlir::Location location);

  /// A scalar, or a vector of consecutive elements, whose first one is number `at` (index): a multiple of its length.
  mlir::Value load(mlir::Type type, mlir::Value at);
  void store(mlir::Value value, mlir::Value at);

private:
  mlir::Value addressOf(mlir::Value at);

  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Value memory;
};

} // namespace attnc
