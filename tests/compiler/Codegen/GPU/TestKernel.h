//===- TestKernel.h - handwritten kernels of tile building blocks -------------------------------------------------===//
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
  int64_t threads;
  std::function<int64_t(DeviceFrame &, TileBuilder &)> fill; ///< emits the body; returns the bytes of shared memory
  std::vector<MappedTensor> mapped = {};                     ///< tensors whose tensor maps an earlier phase creates
};

/// A change of the code before it is compiled.
using Mutation = std::function<void(mlir::ModuleOp)>;

struct Found {
  std::string message, ptx;
  std::vector<float> values;
};
Found run(const TestKernel &kernel, const std::vector<HostArray> &inputs, bool reversed = false,
          Mutation mutate = nullptr, std::string_view target = "cuda");

/// A matrix of elements of `type`, as words and as numbers.
struct TestMatrix {
  int64_t rows, columns;
  HostArray words;
  std::vector<float> values;

  TestMatrix(MatrixType type, int64_t rows, int64_t columns, uint64_t seed);
  float at(int64_t row, int64_t column, bool turned) const {
    return turned ? values[column * columns + row] : values[row * columns + column];
  }
};

/// A change of each op for which `isPicked` is true, one at a time.
struct Mutant {
  std::string name;
  std::function<bool(mlir::Operation *)> isPicked;
  std::function<void(mlir::Operation *)> change;
};
/// Expects that `isSeen` is true for each mutant, but not for the original code, which is compiled and run once for all
/// mutants.
void expectEachIsSeen(const std::vector<Mutant> &mutants, const std::function<bool(const Mutation &)> &isSeen);

/// Removes an op: its first operands replace its result, or the members of its result.
void removeOp(mlir::Operation *op);
/// True if an op is PTX text that contains `part`.
bool isText(mlir::Operation *op, llvm::StringRef part);
Mutant withoutText(llvm::StringRef part);
/// Flips a bit of the descriptor that is `fromEnd` operands from the end of a warp-group product.
Mutant withBit(unsigned fromEnd, unsigned bit);
template <typename Op> Mutant without() {
  return {"without " + Op::getOperationName().str(), [](mlir::Operation *op) { return mlir::isa<Op>(op); }, removeOp};
}

} // namespace attnc
