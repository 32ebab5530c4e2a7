//===- TestKernel.h - kernels that tests write themselves, of the blocks of tiles ---------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Nest/DeviceFrame.h"
#include "compiler/Codegen/GPU/Tile/Fragment.h"
#include "compiler/Codegen/GPU/Tile/TensorMap.h"
#include "tests/support/KernelRunner.h"
#include <functional>
#include <string>
#include <vector>

namespace attnc {

/// One block, tensors of words.
struct TestKernel {
  std::vector<std::vector<int64_t>> inputs; ///< of i32; ShapedType::kDynamic where the size is dynamic
  std::vector<int64_t> result;              ///< of f32
  int64_t threads;
  std::function<int64_t(DeviceFrame &, TileBuilder &)> fill; ///< gives the bytes of a block's memory
  std::vector<MappedTensor> mapped = {};                     ///< whose maps a phase in front makes
};

/// What is changed in the code before it is compiled.
using Mutation = std::function<void(mlir::ModuleOp)>;

struct Found {
  std::string message, ptx;
  std::vector<float> values;
};
Found run(const TestKernel &kernel, const std::vector<HostArray> &inputs, bool reversed = false,
          Mutation mutate = nullptr, std::string_view target = "cuda");

/// A matrix of elements of `type` in words, as numbers too.
struct TestMatrix {
  int64_t rows, columns;
  HostArray words;
  std::vector<float> values;

  TestMatrix(MatrixType type, int64_t rows, int64_t columns, uint64_t seed);
  float at(int64_t row, int64_t column, bool turned) const {
    return turned ? values[column * columns + row] : values[row * columns + column];
  }
};

/// A change of each op that `isPicked`, one at a time.
struct Mutant {
  std::string name;
  std::function<bool(mlir::Operation *)> isPicked;
  std::function<void(mlir::Operation *)> change;
};
/// Expects `isSeen` of each change, but not of the code as it is, which is compiled and run once for all mutants.
void expectEachIsSeen(const std::vector<Mutant> &mutants, const std::function<bool(const Mutation &)> &isSeen);

/// Takes an op away: its first operands stand for its result, or for the members of that.
void removeOp(mlir::Operation *op);
/// Whether an op is PTX text that contains `part`.
bool isText(mlir::Operation *op, llvm::StringRef part);
Mutant withoutText(llvm::StringRef part);
/// A bit of the descriptors of the operand that is `fromEnd` operands from the end of a product of warp groups.
Mutant withBit(unsigned fromEnd, unsigned bit);
template <typename Op> Mutant without() {
  return {"without " + Op::getOperationName().str(), [](mlir::Operation *op) { return mlir::isa<Op>(op); }, removeOp};
}

} // namespace attnc
