//===- FlatEmitter.h - minimal emitter: one linalg.generic over one dimension, in vectors -------------------------===//
#pragma once

#include "compiler/Codegen/Formula/RegionVectoriser.h"
#include "compiler/Codegen/Interface/Emitter.h"
#include "compiler/Codegen/Nest/KernelFrame.h"
#include "compiler/Codegen/Target/Target.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace attnc {

/// Emits a kernel of one linalg.generic over one dimension as one chunk with one loop. The loop evaluates the op's
/// region by RegionVectoriser at as many points at a time as a vector of the target has lanes; the last vector is
/// masked.
class FlatEmitter : public Emitter {
public:
  std::string_view name() const override { return "flat"; }
  Verdict supports(mlir::func::FuncOp kernel, const Target &) const override {
    return canVectorise(genericOf(kernel).getRegion());
  }
  mlir::FailureOr<KernelCode> emit(mlir::func::FuncOp kernel, const Target &target,
                                   mlir::ModuleOp code) const override {
    using namespace mlir;
    linalg::GenericOp generic = genericOf(kernel);
    KernelFrame frame(kernel, kernel.getSymName(), code);
    OpBuilder &b = frame.builder;
    Location loc = frame.location;
    Value size = frame.size(frame.sizes.resultDimension(0, 0));
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    Value step = arith::ConstantIndexOp::create(b, loc, target.f32Lanes);
    auto loop = scf::ForOp::create(b, loc, zero, size, step);
    b.setInsertionPointToStart(loop.getBody());
    RegionVectoriser vectoriser(b, loc, target.f32Lanes);
    frame.bindTo(vectoriser);
    Value i = loop.getInductionVar();
    Value left = arith::SubIOp::create(b, loc, size, i);
    vectoriser.setActiveLanes(arith::MinSIOp::create(b, loc, left, step));
    LaneIndex index{i, 1, {}, true};
    vectoriser.bindIterations(generic, index);
    Value result = vectoriser.evaluate(generic.getBody()->getTerminator()->getOperand(0));
    vectoriser.store(result, frame.result(0), index);
    return KernelCode{{{kernel.getSymName().str(), 1}}, 0, 0, {}};
  }

private:
  static mlir::linalg::GenericOp genericOf(mlir::func::FuncOp kernel) {
    return kernel.getBody().front().getTerminator()->getOperand(0).getDefiningOp<mlir::linalg::GenericOp>();
  }
};

} // namespace attnc
