//===- SharedArray.h - array in the static shared memory of a block -----------------------------------------------===//
//
// Each block of a launch has one copy of the array. An element is an f32, an i32 or an i1, and occupies four bytes. A
// store by one thread is visible to another after a synchronisation of a group that contains both (ThreadGroup.h).
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Nest/DeviceFrame.h"

namespace attnc {

class SharedArray {
public:
  /// Declares `count` elements without values, for the function of `position`, and emits their address at the insertion
  /// point of `builder`, which outlives the object. `name` is unique in that function.
  SharedArray(const ThreadPosition &position, const std::string &name, int64_t count, mlir::OpBuilder &builder,
              mlir::Location location);

  /// Emits a load of a scalar, or of a vector of up to four consecutive f32 or i32. `at` (index) is the number of the
  /// first element, a multiple of the vector's length.
  mlir::Value load(mlir::Type type, mlir::Value at);
  /// Emits a store of a scalar or a vector, as load().
  void store(mlir::Value value, mlir::Value at);

private:
  mlir::Value addressOf(mlir::Value at);

  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Value memory;
};

} // namespace attnc
