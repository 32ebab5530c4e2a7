#include "dialects/Model/Lists.h"
#include "dialects/Model/Model.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::model {

void forEachElement(OpBuilder &builder, Location at, Value list, ArrayRef<int64_t> counts,
                    function_ref<void(Value element, ValueRange place)> body) {
  OpBuilder::InsertionGuard outside(builder);
  SmallVector<Value> place;
  for (int64_t count : counts) {
    Value zero = arith::ConstantIndexOp::create(builder, at, 0), one = arith::ConstantIndexOp::create(builder, at, 1);
    Value end = arith::ConstantIndexOp::create(builder, at, count);
    auto loop = scf::ForOp::create(builder, at, zero, end, one);
    builder.setInsertionPointToStart(loop.getBody());
    auto type = cast<RankedTensorType>(list.getType());
    list = ElementOp::create(builder, at, RankedTensorType::get(type.getShape().drop_front(), type.getElementType()),
                             list, loop.getInductionVar());
    place.push_back(loop.getInductionVar());
  }
  body(list, place);
}

} // namespace mlir::model
