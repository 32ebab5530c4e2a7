//===- SharedArray.h - array in the static shared memory of a block -----------------------------------------------===//
//
// Elements are f32, i32 or i1, and occupy four bytes each. A store by one thread is visible to another after a
// synchronisation of a group that contains both (ThreadGroup.h).
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Nest/DeviceFrame.h"

namespace attnc {

class SharedArray {
public:
  /// Declares `count` elements; they are not initialised. `name` is unique in the phase.
  SharedArray(const ThreadPosition &position, const std::string &name, int64_t count, mlir::OpBuilder &builder,
              mlir::Location location);

  /// Loads a scalar, or a vector of consecutive elements. `at` (index) is the number of the first one, a multiple of
  /// the vector's length.
  mlir::Value load(mlir::Type type, mlir::Value at);
  void store(mlir::Value value, mlir::Value at);

private:
  mlir::Value addressOf(mlir::Value at);

  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Value memory;
};

} // namespace attnc
