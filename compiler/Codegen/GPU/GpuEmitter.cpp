#include "compiler/Codegen/GPU/GpuEmitter.h"

using namespace mlir;

namespace attnc {

namespace {

class GpuEmitter : public Emitter {
public:
  std::string_view name() const override { return "gpu"; }

  bool makesCodeFor(const Target &target) const override { return target.isDevice; }

  Verdict supports(func::FuncOp kernel, const Target &) const override {
    switch (*kernelKindOf(kernel)) {
    case KernelKind::Attend:
      return supportsDeviceAttend(kernel);
    case KernelKind::Loops:
      return supportsDeviceLoops(kernel);
    case KernelKind::Gemm:
      return supportsDeviceGemm(kernel);
    case KernelKind::Rows:
      return supportsDeviceRows(kernel);
    default:
      return Verdict::no("kernels of kind '" + kernelKindName(*kernelKindOf(kernel)).str() + "' have no device code");
    }
  }

  FailureOr<KernelCode> emit(func::FuncOp kernel, const Target &target, ModuleOp code) const override {
    switch (*kernelKindOf(kernel)) {
    case KernelKind::Attend:
      return emitDeviceAttend(kernel, target, code);
    case KernelKind::Gemm:
      return emitDeviceGemm(kernel, target, code);
    case KernelKind::Rows:
      return emitDeviceRows(kernel, code);
    default:
      return emitDeviceLoops(kernel, code);
    }
  }
};

} // namespace

std::unique_ptr<Emitter> createGpuEmitter() { return std::make_unique<GpuEmitter>(); }

} // namespace attnc
