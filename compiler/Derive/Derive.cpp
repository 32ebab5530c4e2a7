#include "compiler/Derive/Derive.h"
#include "compiler/Derive/AttentionMaps.h"
#include "compiler/Derive/AttentionOverride.h"
#include "compiler/Derive/CotangentTensors.h"
#include "compiler/Derive/Gradient.h"
#include "compiler/Derive/Incremental/Decode.h"
#include "compiler/Derive/Incremental/Incremental.h"
#include "compiler/Derive/Minimize.h"
#include "compiler/Fuse/Fuse.h"
#include "dialects/Attn/Attn.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace attnc {

#define GEN_PASS_DEF_DERIVEPASS
#define GEN_PASS_DEF_INCREMENTALPASS
#define GEN_PASS_REGISTRATION
#include "compiler/Derive/Passes.h.inc"
namespace {

struct Derive : impl::DerivePassBase<Derive> {
  void runOnOperation() override {
    // Attention maps are those of the forward pass, and nested gradients are those with overridden weights.
    if (failed(forEachFunction([&](func::FuncOp function) {
          return failure((function->hasAttr(model::attentionAttrName) && failed(deriveAttentionMaps(function))) ||
                         (function->hasAttr(attentionOverrideAttrName) && failed(deriveAttentionOverride(function))));
        })) ||
        failed(forEachFunction(deriveNestedGradients)) || failed(forEachFunction([&](func::FuncOp function) {
          return failure((function->hasAttr(model::gradientAttrName) && failed(deriveGradient(function))) ||
                         (function->hasAttr(model::minimizeAttrName) && failed(deriveMinimization(function))));
        })))
      return signalPassFailure();
    eraseStops();
    eraseSteps(getOperation());
  }

  /// Calls `derive` for each function, until it fails.
  LogicalResult forEachFunction(function_ref<LogicalResult(func::FuncOp)> derive) {
    for (auto function : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (failed(derive(function)))
        return failure();
    return success();
  }

  /// Removes ops that stop gradients, except where gradients are taken in code generation.
  void eraseStops() {
    getOperation().walk([](attn::StopOp stop) {
      if (stop->getParentOfType<attn::AttendGradientOp>())
        return;
      stop.replaceAllUsesWith(stop.getOperand());
      stop.erase();
    });
  }

  static DictionaryAttr port(Builder &builder, const Twine &name, ArrayAttr shape) {
    return builder.getDictionaryAttr({builder.getNamedAttr(model::nameAttrName, builder.getStringAttr(name)),
                                      builder.getNamedAttr(model::shapeAttrName, shape)});
  }

  static void addResult(func::FuncOp function, Value value, DictionaryAttr attributes) {
    (void)function.insertResult(function.getNumResults(), value.getType(), attributes);
    Operation *terminator = function.getBody().front().getTerminator();
    terminator->insertOperands(terminator->getNumOperands(), value);
  }

  LogicalResult deriveGradient(func::FuncOp function) {
    GradientRequest request;
    request.function = function;
    request.loss = function.getBody().front().getTerminator()->getOperand(0);
    for (BlockArgument argument : function.getArguments())
      if (isReal(argument))
        request.arguments.push_back(argument);
    for (auto parameter : getOperation().getOps<model::ParameterOp>())
      if (!parameter.getFrozen())
        request.parameters.push_back(parameter);
    FailureOr<Gradients> gradients = appendGradients(request);
    if (failed(gradients))
      return failure();
    Builder builder(function.getContext());
    for (auto [argument, gradient] : llvm::zip_equal(request.arguments, gradients->arguments)) {
      auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), model::nameAttrName);
      auto shape = function.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(), model::shapeAttrName);
      addResult(function, gradient, port(builder, name.getValue() + "_gradient", shape));
    }
    for (auto [parameter, gradient] : llvm::zip_equal(request.parameters, gradients->parameters)) {
      std::string name = parameter.getSymName().str();
      std::replace(name.begin(), name.end(), '.', '_');
      SmallVector<Attribute> shape;
      for (int64_t size : cast<RankedTensorType>(gradient.getType()).getShape())
        shape.push_back(builder.getStringAttr(Twine(size)));
      addResult(function, gradient, port(builder, name + "_gradient", builder.getArrayAttr(shape)));
    }
    function->removeAttr(model::gradientAttrName);
    return success();
  }
};

struct Incremental : impl::IncrementalPassBase<Incremental> {
  void runOnOperation() override {
    llvm::StringMap<IncrementalNames> made;
    for (auto function : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      std::string name = function.getName().str();
      if (!function->hasAttr(model::incrementalAttrName))
        continue;
      FailureOr<IncrementalNames> names = deriveIncremental(function);
      if (failed(names))
        return signalPassFailure();
      made[name] = *names;
    }
    for (auto function : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      auto decode = function->getAttrOfType<DictionaryAttr>(model::decodeAttrName);
      auto of = decode ? decode.getAs<StringAttr>("of") : StringAttr();
      if (!decode)
        continue;
      if (!of || !made.contains(of.getValue()))
        return (void)function.emitError("decodes an entry point that is not incremental"), signalPassFailure();
      if (failed(deriveDecode(function, made[of.getValue()])))
        return signalPassFailure();
    }
    if (failed(inlineDecoderCalls(getOperation())))
      signalPassFailure();
  }
};

} // namespace

void buildDerivePipeline(OpPassManager &passes) {
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createResolveSizesPass());
  passes.addPass(createEliminateCommonValuesPass());
  // A parameter that every iteration of a loop reads is read once before it, so that its gradient is one sum.
  passes.addPass(createLoopInvariantCodeMotionPass());
  passes.addPass(createRaiseViewsPass());
  passes.addPass(createCanonicalizerPass());
  // Caches store keys and values as attention names them, so they are determined before views of attention are folded.
  passes.addPass(createEliminateCommonValuesPass());
  passes.addPass(createIncrementalPass());
  passes.addPass(createFoldViewsIntoAttentionPass());
  passes.addPass(createFoldPairFormulasPass());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createEliminateCommonValuesPass());
  passes.addPass(createSegmentScansPass());
  passes.addPass(createBatchIterationsPass());
  passes.addPass(createDerivePass());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createResolveSizesPass());
  passes.addPass(createEliminateCommonValuesPass());
}

bool needsDerive(ModuleOp module) {
  return llvm::any_of(module.getOps<func::FuncOp>(), [](func::FuncOp function) {
    return function->hasAttr(model::gradientAttrName) || function->hasAttr(model::minimizeAttrName) ||
           function->hasAttr(model::incrementalAttrName) || function->hasAttr(model::attentionAttrName) ||
           function->hasAttr(attentionOverrideAttrName) ||
           function.walk([](attn::VariableOp) { return WalkResult::interrupt(); }).wasInterrupted();
  });
}

void registerDerivePasses() {
  registerDerivePhasePasses();
  PassPipelineRegistration<>("attn-derive-phase", "the derive phase: entry points generated from others",
                             buildDerivePipeline);
}

} // namespace attnc
