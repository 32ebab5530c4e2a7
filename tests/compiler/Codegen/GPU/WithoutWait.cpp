#include "tests/compiler/Codegen/GPU/WithoutWait.h"
#include "compiler/Codegen/GPU/GpuEmitter.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include <climits>
#include <gtest/gtest.h>

namespace attnc {

namespace {

/// Emits without one of the waits of a kernel.
class WithoutWait : public Emitter {
public:
  WithoutWait(int number, const IsWait &which) : number(number), which(which) {}
  std::string_view name() const override { return "without a wait"; }
  Verdict supports(mlir::func::FuncOp kernel, const Target &target) const override {
    return inner->supports(kernel, target);
  }
  mlir::FailureOr<KernelCode> emit(mlir::func::FuncOp kernel, const Target &target,
                                   mlir::ModuleOp code) const override {
    auto made = inner->emit(kernel, target, code);
    llvm::SmallVector<mlir::Operation *> waits;
    code.walk([&](mlir::Operation *op) {
      if (which(op))
        waits.push_back(op);
    });
    found = static_cast<int>(waits.size());
    if (number < found)
      waits[number]->erase();
    return made;
  }
  int waits() const { return found; }

private:
  int number;
  IsWait which;
  mutable int found = 0;
  std::unique_ptr<Emitter> inner = createGpuEmitter();
};

bool differ(const std::vector<HostArray> &a, const std::vector<HostArray> &b) {
  for (size_t number = 0; number < a.size(); ++number)
    if (a[number].bytes != b[number].bytes)
      return true;
  return false;
}

} // namespace

bool isWait(mlir::Operation *op) { return llvm::isa<mlir::NVVM::Barrier0Op, mlir::NVVM::SyncWarpOp>(op); }

void expectWaitsAreNeeded(const std::string &kernel, const std::vector<HostArray> &inputs,
                          const std::vector<std::vector<int64_t>> &resultShapes, const IsWait &which) {
  WithoutWait all(INT_MAX, which);
  KernelRunner right(kernel, all, "cuda");
  ASSERT_TRUE(right) << right.message();
  ASSERT_GT(all.waits(), 0);
  for (int number = 0; number < all.waits(); ++number) {
    KernelRunner wrong(kernel, WithoutWait(number, which), "cuda");
    ASSERT_TRUE(wrong) << wrong.message();
    bool isSeen = false;
    for (bool reversed : {false, true}) {
      RunOptions options;
      options.reversed = reversed;
      isSeen |= differ(wrong.run(inputs, resultShapes, options), right.run(inputs, resultShapes, options));
    }
    EXPECT_TRUE(isSeen) << "wait " << number;
  }
}

} // namespace attnc
