#include "compiler/Derive/Residuals.h"
#include "compiler/Analysis/OpClassification.h"
#include "compiler/Analysis/OpCost.h"
#include "compiler/Analysis/SourceLocations.h"
#include "dialects/Attn/Attn.h"
#include "dialects/Model/Model.h"

using namespace mlir;

namespace attnc {

/// Operations that one byte read or written counts as.
static constexpr int64_t operationsPerByte = 16;

ResidualChoice::ResidualChoice(func::FuncOp function) {
  if (auto numbers = function->getAttrOfType<DenseI64ArrayAttr>(recomputeAttrName))
    recomputed.insert(numbers.asArrayRef().begin(), numbers.asArrayRef().end());
}

static llvm::StringRef kindOf(Operation *op) {
  if (!op)
    return "carried value";
  if (isa<attn::AttendOp>(op))
    return "attention";
  auto generic = dyn_cast<linalg::GenericOp>(op);
  return generic && matchContraction(generic) ? "contraction" : "reduction";
}

/// Operations of one execution.
static SizeExpr operationsOf(Operation *op, SymbolicShapes &shapes) {
  SizeExpr points = 1;
  if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
    for (const SizeExpr &extent : loopExtents(generic, shapes))
      points *= extent;
    return points * SizeExpr(costOf(generic.getRegion()).flops);
  }
  auto attend = cast<attn::AttendOp>(op);
  auto sizeOf = [&](Value size) { return shapes.size(OpFoldResult(size)); };
  for (ValueRange sizes : {ValueRange(attend.getOuterSizes()), ValueRange(attend.getKeySizes())})
    for (Value size : sizes)
      points *= sizeOf(size);
  SizeExpr each = flopsOf(attend.getScore(), sizeOf), values = 2;
  for (Value size : attend.getValueSizes())
    values *= sizeOf(size);
  return points * (each + values);
}

static SizeExpr costOf(Operation *op, SymbolicShapes &shapes) {
  SizeExpr bytes;
  llvm::SmallPtrSet<Value, 8> read;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (isa<RankedTensorType>(operand.getType()) && !op->isAncestor(operand.getParentRegion()->getParentOp()) &&
          read.insert(operand).second)
        bytes += shapes.bytes(operand);
  });
  return operationsOf(op, shapes) + bytes * SizeExpr(operationsPerByte);
}

void ResidualChoice::record(int64_t number, Value value, const SizeExpr &count, SymbolicShapes &shapes, bool kept) {
  Builder builder(value.getContext());
  Operation *op = value.getDefiningOp();
  SmallVector<NamedAttribute> fields;
  auto add = [&](StringRef name, Attribute field) { fields.push_back(builder.getNamedAttr(name, field)); };
  auto text = [&](const SizeExpr &size) { return builder.getStringAttr(shapes.text(size)); };
  // The cost of an op with several results is counted once.
  bool isFirst = !op || cast<OpResult>(value).getResultNumber() == 0;
  SmallVector<std::string> places = placesOf(value.getLoc());
  add("number", builder.getI64IntegerAttr(number));
  add("place", builder.getStringAttr(places.empty() ? "" : places.front()));
  add("kind", builder.getStringAttr(kindOf(op)));
  std::string shape;
  for (const SizeExpr &extent : shapes.shape(value))
    shape += (shape.empty() ? "" : ", ") + shapes.text(extent);
  add("shape", builder.getStringAttr(shape));
  add("bytes", text(shapes.bytes(value) * count));
  add("cost", text(op && isFirst ? costOf(op, shapes) * count : SizeExpr()));
  if (kept)
    add("kept", builder.getUnitAttr());
  records.push_back(builder.getDictionaryAttr(fields));
}

void ResidualChoice::writeTo(func::FuncOp function) const {
  function->removeAttr(recomputeAttrName);
  if (!records.empty())
    function->setAttr(residualsAttrName, ArrayAttr::get(function.getContext(), records));
}

std::string nameOf(const Residual &residual) {
  return residual.kind + " [" + residual.shape + "]" + (residual.place.empty() ? "" : ", " + residual.place);
}

std::vector<Residual> residualsOf(func::FuncOp function) {
  std::vector<Residual> residuals;
  auto records = function->getAttrOfType<ArrayAttr>(residualsAttrName);
  auto dimensions = function->getAttrOfType<ArrayAttr>(model::dimensionsAttrName);
  if (!records || !dimensions)
    return residuals;
  std::vector<std::string> names;
  for (auto dimension : dimensions.getAsRange<model::DimensionAttr>())
    names.push_back(dimension.getName().str());
  for (auto fields : records.getAsRange<DictionaryAttr>()) {
    auto size = [&](StringRef name) {
      return SizeExpr::parse(fields.getAs<StringAttr>(name).getValue(), names).value_or(SizeExpr());
    };
    residuals.push_back({fields.getAs<IntegerAttr>("number").getInt(), fields.getAs<StringAttr>("place").str(),
                         fields.getAs<StringAttr>("kind").str(), fields.getAs<StringAttr>("shape").str(), size("bytes"),
                         size("cost"), fields.contains("kept")});
  }
  return residuals;
}

} // namespace attnc
