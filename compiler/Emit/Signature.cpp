#include "compiler/Emit/Signature.h"
#include "dialects/Model/Model.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace attnc {

std::string SignatureTensor::text() const {
  std::string name = elementTypeName(element).str();
  return shape.empty() ? name : name + "[" + llvm::join(shapeText, ", ") + "]";
}

static SignatureTensor tensorOf(const EntryPlan &plan, Type type, DictionaryAttr attributes, std::string fallbackName,
                                bool isResult) {
  auto tensor = cast<RankedTensorType>(type);
  auto name = attributes ? attributes.getAs<StringAttr>(model::nameAttrName) : StringAttr();
  auto shape = attributes ? attributes.getAs<ArrayAttr>(model::shapeAttrName) : ArrayAttr();
  std::optional<attn_dtype> element = elementTypeOf(tensor.getElementType());
  assert(element && "checkInterfaces has accepted the entry point");
  SignatureTensor result{name ? name.str() : std::move(fallbackName), *element, {}, {}, isResult, false};
  for (int64_t dimension = 0; dimension < tensor.getRank(); ++dimension) {
    SizeExpr size = tensor.isDynamicDim(dimension) ? *declaredSize(shape, dimension, plan.sizes.names)
                                                   : SizeExpr(tensor.getDimSize(dimension));
    result.shapeText.push_back(size.text(plan.sizes.names));
    result.shape.push_back(std::move(size));
  }
  return result;
}

/// How calls update states; the number of rows is that of the lengths.
static void describeStates(const EntryPlan &plan, Signature &signature) {
  func::FuncOp entry = plan.entry;
  if (auto takeBack = entry->getAttrOfType<IntegerAttr>(model::takeBackAttrName))
    signature.takeBack = takeBack.getInt();
  for (const SignatureTensor &tensor : signature.tensors) {
    SizeExpr bytes = attn_element_bytes(tensor.element);
    for (const SizeExpr &size : tensor.shape)
      bytes *= size;
    if (tensor.isState)
      signature.stateBytes += bytes;
  }
  entry.walk([&](model::AppendOp append) {
    auto length = dyn_cast<BlockArgument>(append.getLength());
    if (!length || length.getOwner() != &entry.front())
      return;
    signature.isAppendedTo = true;
    auto find = [&](unsigned tensor, unsigned size, std::optional<unsigned> &found) {
      const std::vector<std::string> &shape = signature.tensors[tensor].shapeText;
      for (auto [number, dimension] : llvm::enumerate(signature.dimensions))
        if (size < shape.size() && dimension.name == shape[size])
          found = number;
    };
    find(length.getArgNumber(), 0, signature.rows);
    if (append.getTable())
      find(plan.location(append).number, *append.getRow() + (append.getPlace() ? 1 : 0), signature.blocks);
  });
}

Signature signatureOf(const EntryPlan &plan) {
  func::FuncOp entry = plan.entry;
  Signature signature;
  signature.name = entry.getName().str();
  if (auto doc = entry->getAttrOfType<StringAttr>(model::docAttrName))
    signature.doc = doc.str();
  auto dimensions = entry->getAttrOfType<ArrayAttr>(model::dimensionsAttrName);
  for (Attribute attribute : dimensions ? dimensions.getValue() : ArrayRef<Attribute>()) {
    auto dimension = cast<model::DimensionAttr>(attribute);
    signature.dimensions.push_back({dimension.getName().str(), dimension.getMax(), dimension.getMin()});
  }
  for (auto [number, type] : llvm::enumerate(entry.getArgumentTypes()))
    signature.tensors
        .emplace_back(tensorOf(plan, type, entry.getArgAttrDict(number), "input" + std::to_string(number), false))
        .isState = entry.getArgAttr(number, model::stateAttrName) != nullptr;
  for (auto [number, type] : llvm::enumerate(entry.getResultTypes().drop_back(model::stateCount(entry))))
    signature.tensors.push_back(
        tensorOf(plan, type, entry.getResultAttrDict(number), "result" + std::to_string(number), true));
  describeStates(plan, signature);
  return signature;
}

} // namespace attnc
