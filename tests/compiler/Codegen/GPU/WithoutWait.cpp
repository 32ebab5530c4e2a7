#include "tests/compiler/Codegen/GPU/WithoutWait.h"
#include "compiler/Codegen/GPU/GpuEmitter.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "tests/support/ChangedEmitter.h"
#include <gtest/gtest.h>

namespace attnc {

namespace {

bool differ(const std::vector<HostArray> &a, const std::vector<HostArray> &b) {
  for (size_t number = 0; number < a.size(); ++number)
    if (a[number].bytes != b[number].bytes)
      return true;
  return false;
}

} // namespace

bool isWait(mlir::Operation *op) { return llvm::isa<mlir::NVVM::Barrier0Op, mlir::NVVM::SyncWarpOp>(op); }

void expectMutantsAreSeen(const std::string &kernel, const std::vector<HostArray> &inputs,
                          const std::vector<std::vector<int64_t>> &resultShapes, const std::vector<Mutant> &mutants,
                          std::string_view target) {
  std::unique_ptr<Emitter> gpu = createGpuEmitter();
  KernelRunner right(kernel, *gpu, target);
  ASSERT_TRUE(right) << right.message();
  auto resultsOf = [&](KernelRunner &runner, bool reversed) {
    RunOptions options;
    options.reversed = reversed;
    return runner.run(inputs, resultShapes, options);
  };
  std::vector<HostArray> expected = resultsOf(right, false);
  ASSERT_TRUE(right) << right.message();
  expectEachIsSeen(mutants, [&](const Mutation &mutate) {
    if (!mutate)
      return differ(resultsOf(right, true), expected);
    KernelRunner wrong(kernel, ChangedEmitter(*gpu, mutate), target);
    EXPECT_TRUE(wrong) << wrong.message();
    return differ(resultsOf(wrong, false), expected) || differ(resultsOf(wrong, true), expected) || !wrong;
  });
}

void expectWaitsAreNeeded(const std::string &kernel, const std::vector<HostArray> &inputs,
                          const std::vector<std::vector<int64_t>> &resultShapes, const IsWait &which) {
  expectMutantsAreSeen(kernel, inputs, resultShapes, {{"without a wait", which, removeOp}});
}

} // namespace attnc
