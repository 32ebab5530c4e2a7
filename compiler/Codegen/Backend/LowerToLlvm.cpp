// Lowers a code module to the `llvm` dialect in three conversions: expansion of compound ops (transcendental functions,
// vectors of rank 2 and more, transposes, affine expressions, views), structured loops to branches, and the remaining
// ops one to one.
#include "compiler/Codegen/Backend/Backend.h"
#include "compiler/Codegen/Formula/VectorMath.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace attnc {

/// Expands multi-dimensional vectors and compound ops to ops that LLVM has.
static LogicalResult expand(ModuleOp code, const Target &target) {
  RewritePatternSet patterns(code.getContext());
  populateVectorToSCFConversionPatterns(patterns, VectorTransferToSCFOptions().enableFullUnroll());
  vector::populateVectorBroadcastLoweringPatterns(patterns);
  vector::populateVectorContractLoweringPatterns(patterns, vector::VectorContractLowering::OuterProduct);
  vector::populateVectorOuterProductLoweringPatterns(patterns);
  vector::populateVectorMultiReductionLoweringPatterns(patterns, vector::VectorMultiReductionLowering::InnerParallel);
  vector::populateVectorMaskMaterializationPatterns(patterns, /*force32BitVectorIndices=*/true);
  vector::populateVectorMaskOpLoweringPatterns(patterns);
  vector::populateVectorShapeCastLoweringPatterns(patterns);
  vector::populateVectorInterleaveLoweringPatterns(patterns);
  vector::populateVectorTransposeLoweringPatterns(patterns, vector::VectorTransposeLowering::Shuffle16x16);
  vector::populateVectorTransferLoweringPatterns(patterns, /*maxTransferRank=*/1);
  vector::populateVectorRankReducingFMAPattern(patterns);
  vector::populateVectorGatherLoweringPatterns(patterns);
  vector::populateVectorStepLoweringPatterns(patterns);
  vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
  vector::populateVectorBitCastLoweringPatterns(patterns);
  vector::populateVectorMaskLoweringPatternsForSideEffectingOps(patterns);
  memref::populateExpandStridedMetadataPatterns(patterns);
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  // Devices have instructions for bf16. Few processors have them, and these flush denormals to zero.
  if (!target.isDevice)
    arith::populateExpandBFloat16Patterns(patterns);
  populateAffineToStdConversionPatterns(patterns);
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  config.setMaxIterations(1000); // a chain of foldable ops needs one iteration for each link
  FrozenRewritePatternSet frozen(std::move(patterns));
  // Imported Halide code is an LLVM function with a few substituted ops.
  for (FunctionOpInterface function : code.getOps<FunctionOpInterface>())
    if (failed(applyPatternsGreedily(function, frozen, config)))
      return function.emitError("back end: expansion of vectors does not end");
  return success();
}

static void eliminateCommonSubexpressions(ModuleOp code) {
  IRRewriter rewriter(code.getContext());
  for (func::FuncOp function : code.getOps<func::FuncOp>()) {
    DominanceInfo dominance(function);
    eliminateCommonSubExpressions(rewriter, dominance, function);
  }
}

/// The patterns of this back end do not fail after a change, so none needs a rollback. Support for it would take a
/// quarter of the conversion's time.
static ConversionConfig withoutRollback() {
  ConversionConfig config;
  config.allowPatternRollback = false;
  return config;
}

static LogicalResult convertLoopsToBranches(ModuleOp code) {
  RewritePatternSet patterns(code.getContext());
  populateSCFToControlFlowConversionPatterns(patterns);
  ConversionTarget target(*code.getContext());
  target.addIllegalOp<scf::ForOp, scf::IfOp, scf::WhileOp, scf::IndexSwitchOp, scf::ExecuteRegionOp>();
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  return applyPartialConversion(code, target, std::move(patterns), withoutRollback());
}

/// On processors bf16 is stored as an i16, the upper half of an f32, because LLVM would call library functions for
/// bf16. The remaining uses are loads, stores, bitcasts and constants.
static void storeBf16AsI16(ModuleOp code, LLVMTypeConverter &converter) {
  auto i16 = IntegerType::get(code.getContext(), 16);
  converter.addConversion([=](BFloat16Type) { return i16; });
  converter.addConversion([=](VectorType vector) -> std::optional<Type> {
    return vector.getElementType().isBF16() && vector.getRank() == 1 ? std::optional<Type>(vector.clone(i16))
                                                                     : std::nullopt;
  });
  code.walk([&](arith::ConstantOp constant) {
    auto vector = dyn_cast<VectorType>(constant.getType());
    if (!getElementTypeOrSelf(constant.getType()).isBF16())
      return;
    OpBuilder builder(constant);
    auto word = [&](APFloat number) { return number.bitcastToAPInt(); };
    TypedAttr bits = vector ? TypedAttr(cast<DenseFPElementsAttr>(constant.getValue()).mapValues(i16, word))
                            : builder.getIntegerAttr(i16, word(cast<FloatAttr>(constant.getValue()).getValue()));
    auto words = arith::ConstantOp::create(builder, constant.getLoc(), bits);
    constant.replaceAllUsesWith(
        arith::BitcastOp::create(builder, constant.getLoc(), constant.getType(), words).getResult());
    constant.erase();
  });
}

static LogicalResult convertToLlvmDialect(ModuleOp code, bool isDevice) {
  MLIRContext *context = code.getContext();
  LowerToLLVMOptions options(context);
  LLVMTypeConverter converter(context, options);
  if (!isDevice)
    storeBf16AsI16(code, converter);
  RewritePatternSet patterns(context);
  SymbolTableCollection symbols;
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  index::populateIndexToLLVMConversionPatterns(converter, patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns, &symbols);
  populateFuncToLLVMConversionPatterns(converter, patterns, &symbols);
  populateMathToLLVMConversionPatterns(converter, patterns, /*approximateLog1p=*/false);
  ub::populateUBToLLVMConversionPatterns(converter, patterns);
  populateVectorToLLVMConversionPatterns(converter, patterns, /*reassociateFPReductions=*/false,
                                         /*force32BitVectorIndices=*/true);
  LLVMConversionTarget target(*context);
  target.addLegalOp<ModuleOp>();
  if (failed(applyPartialConversion(code, target, std::move(patterns), withoutRollback())))
    return failure();
  SmallVector<UnrealizedConversionCastOp> casts, unresolved;
  code.walk([&](UnrealizedConversionCastOp cast) { casts.push_back(cast); });
  reconcileUnrealizedCasts(casts, &unresolved);
  if (!unresolved.empty())
    return unresolved.front().emitError("back end: value has no representation in LLVM");
  return success();
}

LogicalResult lowerToLlvmDialect(ModuleOp code, const Target &target) {
  if (!target.isDevice)
    mergeFunctions(code);
  eliminateCommonSubexpressions(code);
  if (failed(expandMath(code, target)) || failed(expand(code, target)))
    return failure();
  eliminateCommonSubexpressions(code);
  return failure(failed(convertLoopsToBranches(code)) || failed(convertToLlvmDialect(code, target.isDevice)));
}

} // namespace attnc
