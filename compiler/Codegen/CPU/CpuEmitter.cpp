#include "compiler/Codegen/CPU/CpuEmitter.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace mlir;

namespace attnc {

namespace {

struct Family {
  StringRef kind;
  Verdict (*supports)(func::FuncOp, const Target &);
  FailureOr<KernelCode> (*emit)(func::FuncOp, const Target &, ModuleOp);
};

const std::vector<Family> &families() {
  static const std::vector<Family> all = {
      {"attend", supportsAttend, emitAttend},
      {"gemm", supportsGemm, emitGemm},
  };
  return all;
}

const Family *familyOf(func::FuncOp kernel) {
  auto kind = kernel->getAttrOfType<StringAttr>("attn.kernel");
  for (const Family &each : families())
    if (kind && each.kind == kind.getValue())
      return &each;
  return nullptr;
}

class CpuEmitter : public Emitter {
public:
  std::string_view name() const override { return "cpu"; }

  Verdict supports(func::FuncOp kernel, const Target &target) const override {
    const Family *family = familyOf(kernel);
    return family ? family->supports(kernel, target) : Verdict::no("it has no family for this kind");
  }

  FailureOr<KernelCode> emit(func::FuncOp kernel, const Target &target, ModuleOp code) const override {
    return familyOf(kernel)->emit(kernel, target, code);
  }
};

} // namespace

std::unique_ptr<Emitter> createCpuEmitter() { return std::make_unique<CpuEmitter>(); }

} // namespace attnc
