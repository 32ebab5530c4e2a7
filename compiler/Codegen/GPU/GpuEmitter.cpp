#include "compiler/Codegen/GPU/GpuEmitter.h"
#include "compiler/Codegen/Schedule/ChosenSchedule.h"

using namespace mlir;

namespace attnc {

namespace {

/// The functions for one kind of kernels.
struct Family {
  KernelKind kind;
  Verdict (*supports)(func::FuncOp);
  FailureOr<KernelCode> (*emit)(func::FuncOp, const Target &, ModuleOp);
};

constexpr Family families[] = {
    {.kind = KernelKind::Attend, .supports = supportsDeviceAttend, .emit = emitDeviceAttend},
    {.kind = KernelKind::Gemm, .supports = supportsDeviceGemm, .emit = emitDeviceGemm},
    {.kind = KernelKind::Rows, .supports = supportsDeviceRows, .emit = emitDeviceRows},
    {.kind = KernelKind::Loops, .supports = supportsDeviceLoops, .emit = emitDeviceLoops},
};

/// Null for kinds without device code.
const Family *findFamily(KernelKind kind) {
  const Family *family = llvm::find_if(families, [&](const Family &each) { return each.kind == kind; });
  return family == std::end(families) ? nullptr : family;
}

class GpuEmitter : public Emitter {
public:
  std::string_view name() const override { return "gpu"; }

  bool makesCodeFor(const Target &target) const override { return target.isDevice; }

  Verdict supports(func::FuncOp kernel, const Target &) const override {
    KernelKind kind = *kernelKindOf(kernel);
    const Family *family = findFamily(kind);
    return family ? family->supports(kernel)
                  : Verdict::no("kernels of kind '" + kernelKindName(kind).str() + "' have no device code");
  }

  FailureOr<KernelCode> emit(func::FuncOp kernel, const Target &target, ModuleOp code) const override {
    recordSchedule(kernel, {}); // a device has no schedule keys; its families record forms (KernelForms.h)
    return findFamily(*kernelKindOf(kernel))->emit(kernel, target, code);
  }
};

} // namespace

std::unique_ptr<Emitter> createGpuEmitter() { return std::make_unique<GpuEmitter>(); }

} // namespace attnc
