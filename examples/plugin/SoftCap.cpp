// Example of a pass plugin for attn-opt: adds a soft cap to the scores of every softmax attention.
//
//   attn-opt --load-pass-plugin=soft-cap.so --pass-pipeline='builtin.module(func.func(soft-cap{cap=30}))' model.mlir
//
//   score(%i, %j) { ... attn.yield %s }   ->   score(%i, %j) { ... attn.yield (cap * tanh(%s / cap)) }
#include "dialects/Attn/Attn.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

using namespace mlir;

namespace {

class SoftCap : public PassWrapper<SoftCap, OperationPass<func::FuncOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SoftCap)

  SoftCap() = default;
  SoftCap(const SoftCap &other) : PassWrapper(other) {}

  StringRef getArgument() const final { return "soft-cap"; }
  StringRef getDescription() const final { return "Bound the scores of softmax attention by cap * tanh(s / cap)"; }

  void runOnOperation() final {
    getOperation().walk([&](attn::AttendOp attend) {
      if (attend.getNormaliser() == attn::Normaliser::Softmax)
        capScore(attend);
    });
  }

private:
  void capScore(attn::AttendOp attend) {
    auto yield = cast<attn::YieldOp>(attend.getScore().front().getTerminator());
    OpBuilder builder(yield);
    Location location = yield.getLoc();
    Value limit = arith::ConstantOp::create(builder, location, builder.getF32FloatAttr(cap));
    Value share = arith::DivFOp::create(builder, location, yield.getValue(), limit);
    Value bounded = math::TanhOp::create(builder, location, share);
    yield.getValueMutable().assign(arith::MulFOp::create(builder, location, bounded, limit));
  }

  Option<float> cap{*this, "cap", llvm::cl::desc("Largest absolute score"), llvm::cl::init(50.0f)};
};

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "soft-cap", "1", [] { PassRegistration<SoftCap>(); }};
}
