//===- TestKernel.h - handwritten device kernels, for tests of TileBuilder ----------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Nest/DeviceFrame.h"
#include "compiler/Codegen/GPU/Tile/Fragment.h"
#include "compiler/Codegen/GPU/Tile/TensorMap.h"
#include "tests/support/KernelRunner.h"
#include <functional>
#include <string>
#include <vector>

namespace attnc {

/// A kernel of one block on tensors of 32-bit words.
struct TestKernel {
  std::vector<std::vector<int64_t>> inputs; ///< shapes of the i32 inputs; ShapedType::kDynamic for a dynamic size
  std::vector<int64_t> result;              ///< shape of the f32 result
  int64_t threads;                          ///< of the block
  std::function<int64_t(DeviceFrame &, TileBuilder &)> fill; ///< emits the body; returns the bytes of shared memory
  std::vector<MappedTensor> mapped = {};                     ///< tensors whose tensor maps an earlier phase creates
};

/// A change of the emitted code in place, before it is compiled.
using Mutation = std::function<void(mlir::ModuleOp)>;

/// The result of a run.
struct Found {
  /// Diagnostics of the compile, or the fault of the simulated device, or empty; and PTX text, empty for a mutant.
  std::string message, ptx;
  std::vector<float> values; ///< the result, row-major; empty if the kernel does not compile
};
/// Compiles the kernel and runs it in the simulator (DeviceExecutor.h). `reversed` runs threads in descending order.
/// `mutate`, if not null, changes the code first.
Found run(const TestKernel &kernel, const std::vector<HostArray> &inputs, bool reversed = false,
          Mutation mutate = nullptr, std::string_view target = "cuda");

/// A random row-major matrix of elements of `type`.
struct TestMatrix {
  int64_t rows, columns;
  HostArray words;           ///< the stored elements as i32[rows, bytes of a row / 4]
  std::vector<float> values; ///< the same elements as numbers: rows × columns

  /// Elements are in [-1, 1), rounded to `type`.
  TestMatrix(MatrixType type, int64_t rows, int64_t columns, uint64_t seed);
  /// The number at this place; of the transposed matrix if `turned`.
  float at(int64_t row, int64_t column, bool turned) const {
    return turned ? values[column * columns + row] : values[row * columns + column];
  }
};

/// Several mutants of one kind: each has one of the ops for which `isPicked` is true, changed by `change`.
struct Mutant {
  std::string name; ///< for messages
  std::function<bool(mlir::Operation *)> isPicked;
  std::function<void(mlir::Operation *)> change;
};
/// Calls `isSeen` with the mutation of each picked op of each of `mutants`, and with null for the original code.
/// `isSeen` compiles and runs the changed code and returns whether its results differ. Expects true for each mutation,
/// false for null, and at least one picked op for each element of `mutants`.
void expectEachIsSeen(const std::vector<Mutant> &mutants, const std::function<bool(const Mutation &)> &isSeen);

/// Erases an op: its first operand replaces its result; if the result is a struct, the operand with the number of a
/// member replaces this member.
void removeOp(mlir::Operation *op);
/// Whether an op is inline PTX whose text contains `part`.
bool isText(mlir::Operation *op, llvm::StringRef part);
/// Mutants without one op of inline PTX that contains `part`, which must outlive the result.
Mutant withoutText(llvm::StringRef part);
/// Mutants of warp-group products (wgmma.mma_async): flips bit `bit` of the 64-bit descriptor that is operand
/// `fromEnd` from the end, where 1 is the last.
Mutant withBit(unsigned fromEnd, unsigned bit);
/// Mutants without one op of this type.
template <typename Op> Mutant without() {
  return {"without " + Op::getOperationName().str(), [](mlir::Operation *op) { return mlir::isa<Op>(op); }, removeOp};
}

} // namespace attnc
