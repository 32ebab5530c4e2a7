#include "compiler/Codegen/GPU/GpuEmitter.h"
#include "compiler/Codegen/Schedule/ChosenSchedule.h"

using namespace mlir;

namespace attnc {

namespace {

struct Family {
  Verdict (*supports)(func::FuncOp);
  FailureOr<KernelCode> (*emit)(func::FuncOp, const Target &, ModuleOp);
};

/// Null for kinds without device code.
std::optional<Family> familyOf(KernelKind kind) {
  switch (kind) {
  case KernelKind::Attend:
    return Family{supportsDeviceAttend, emitDeviceAttend};
  case KernelKind::Gemm:
    return Family{supportsDeviceGemm, emitDeviceGemm};
  case KernelKind::Rows:
    return Family{supportsDeviceRows, emitDeviceRows};
  case KernelKind::Loops:
    return Family{supportsDeviceLoops, emitDeviceLoops};
  case KernelKind::AttendGradient:
  case KernelKind::Pack:
    return std::nullopt;
  }
  llvm_unreachable("six kinds of kernel");
}

class GpuEmitter : public Emitter {
public:
  std::string_view name() const override { return "gpu"; }

  bool makesCodeFor(const Target &target) const override { return target.isDevice; }

  Verdict supports(func::FuncOp kernel, const Target &) const override {
    KernelKind kind = *kernelKindOf(kernel);
    std::optional<Family> family = familyOf(kind);
    return family ? family->supports(kernel)
                  : Verdict::no("kernels of kind '" + kernelKindName(kind).str() + "' have no device code");
  }

  FailureOr<KernelCode> emit(func::FuncOp kernel, const Target &target, ModuleOp code) const override {
    recordSchedule(kernel, {}); // a device has no schedule keys; its families record forms (KernelForms.h)
    return familyOf(*kernelKindOf(kernel))->emit(kernel, target, code);
  }
};

} // namespace

std::unique_ptr<Emitter> createGpuEmitter() { return std::make_unique<GpuEmitter>(); }

} // namespace attnc
