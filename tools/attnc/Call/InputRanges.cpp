#include "tools/attnc/Call/InputRanges.h"
#include "dialects/Model/Model.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace attnc {

/// The entry point's argument of which `scalar` is an element, possibly converted; null for a computed value.
static BlockArgument inputOf(Value scalar) {
  while (Operation *op = scalar.getDefiningOp()) {
    if (auto extract = dyn_cast<tensor::ExtractOp>(op))
      return dyn_cast<BlockArgument>(extract.getTensor());
    if (!isa<arith::IndexCastOp, arith::ExtSIOp>(op))
      return {};
    scalar = op->getOperand(0);
  }
  auto element = cast<BlockArgument>(scalar);
  auto generic = dyn_cast<linalg::GenericOp>(element.getOwner()->getParentOp());
  if (!generic || element.getArgNumber() >= generic.getNumDpsInputs())
    return {};
  return dyn_cast<BlockArgument>(generic.getDpsInputOperand(element.getArgNumber())->get());
}

/// Size `dimension` of a tensor: a number, or as the entry point declares it; empty if it is computed.
static std::string sizeText(Value tensor, unsigned dimension, func::FuncOp entry) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dimension))
    return std::to_string(type.getDimSize(dimension));
  auto argument = dyn_cast<BlockArgument>(tensor);
  if (!argument || argument.getOwner() != &entry.getBody().front())
    return "";
  auto shape = entry.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(), "model.shape");
  return shape ? cast<StringAttr>(shape[dimension]).getValue().str() : "";
}

InputRanges inputRanges(ModuleOp module, const std::string &name) {
  InputRanges ranges;
  auto entry = module.lookupSymbol<func::FuncOp>(name);
  if (!entry)
    return ranges;
  entry.walk([&](tensor::ExtractOp read) {
    for (auto [dimension, subscript] : llvm::enumerate(read.getIndices())) {
      BlockArgument input = inputOf(subscript);
      if (!input || input.getOwner() != &entry.getBody().front())
        continue;
      auto inputName = entry.getArgAttrOfType<StringAttr>(input.getArgNumber(), "model.name");
      if (std::string size = sizeText(read.getTensor(), dimension, entry); inputName && !size.empty())
        ranges[inputName.getValue().str()].push_back(size);
    }
  });
  // The lengths of caches are zero in a first call.
  auto bound = [&](Value input, std::string size) {
    auto argument = dyn_cast_if_present<BlockArgument>(input);
    if (argument && argument.getOwner() == &entry.getBody().front() && !size.empty())
      if (auto inputName = entry.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "model.name"))
        ranges[inputName.getValue().str()].push_back(size);
  };
  entry.walk([&](model::AppendOp append) {
    bound(append.getLength(), "1");
    if (append.getTable())
      bound(append.getTable(), sizeText(append.getCache(), *append.getRow() + (append.getPlace() ? 1 : 0), entry));
    // At most the positions of the call: below a size of the first argument, after the sizes of the rows.
    if (!append.getCount())
      return;
    unsigned positions = append.getCount().getType().getRank();
    Value first = entry.getArgument(0);
    if (cast<RankedTensorType>(first.getType()).getRank() > positions)
      bound(append.getCount(), sizeText(first, positions, entry));
  });
  return ranges;
}

int64_t leastOf(const std::vector<std::string> &sizes) {
  int64_t least = 0;
  for (llvm::StringRef size : sizes)
    if (int64_t number; !size.getAsInteger(10, number) && (least == 0 || number < least))
      least = number;
  return least;
}

int64_t limitOfTokens(ModuleOp module, llvm::function_ref<bool(const std::string &name)> isSampler) {
  for (auto sampler : module.getOps<func::FuncOp>()) {
    auto decode = sampler->getAttrOfType<DictionaryAttr>(model::decodeAttrName);
    if (!decode || !isSampler(sampler.getName().str()))
      continue;
    auto next = module.lookupSymbol<func::FuncOp>(decode.getAs<StringAttr>("of"));
    InputRanges ranges = inputRanges(module, next.getName().str());
    for (unsigned argument = 0; argument < next.getNumArguments(); ++argument)
      if (auto shape = next.getArgAttrOfType<ArrayAttr>(argument, model::shapeAttrName);
          shape.size() == 2 && shape[1] == next->getAttr(model::incrementalAttrName))
        return leastOf(ranges[next.getArgAttrOfType<StringAttr>(argument, model::nameAttrName).str()]);
  }
  return 0;
}

} // namespace attnc
