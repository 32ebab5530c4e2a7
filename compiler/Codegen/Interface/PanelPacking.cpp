#include "compiler/Codegen/Interface/PanelPacking.h"
#include "compiler/Codegen/Interface/Kernel.h"
#include "compiler/Sizes/SizeAnalysis.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace attnc {

DictionaryAttr PanelPacking::attribute(MLIRContext *context) const {
  Builder builder(context);
  return builder.getDictionaryAttr({builder.getNamedAttr("layout", builder.getStringAttr("panels")),
                                    builder.getNamedAttr("nr", builder.getI64IntegerAttr(nr)),
                                    builder.getNamedAttr("transposed", builder.getBoolAttr(transposed)),
                                    builder.getNamedAttr("batch_dims", builder.getI64IntegerAttr(batchDims)),
                                    builder.getNamedAttr("outer_dims", builder.getI64IntegerAttr(outerDims))});
}

std::string PanelPacking::text() const {
  std::string text = "panels of " + std::to_string(nr) + " columns";
  if (transposed)
    text += ", transposed";
  if (batchDims != 0 || outerDims != 1)
    text += ", " + std::to_string(batchDims) + " + " + std::to_string(outerDims) + " dimensions";
  return text;
}

std::optional<PanelPacking> PanelPacking::fromAttribute(Attribute attribute) {
  auto dictionary = dyn_cast_or_null<DictionaryAttr>(attribute);
  if (!dictionary)
    return std::nullopt;
  auto layout = dictionary.getAs<StringAttr>("layout");
  auto nr = dictionary.getAs<IntegerAttr>("nr");
  if (!layout || layout.getValue() != "panels" || !nr || nr.getInt() <= 0)
    return std::nullopt;
  auto integerOr = [&](StringRef key, int64_t otherwise) {
    auto value = dictionary.getAs<IntegerAttr>(key);
    return value ? value.getInt() : otherwise;
  };
  auto transposed = dictionary.getAs<BoolAttr>("transposed");
  return PanelPacking{nr.getInt(), transposed && transposed.getValue(), integerOr("batch_dims", 0),
                      integerOr("outer_dims", 1)};
}

PanelSource::PanelSource(RankedTensorType source, const PanelPacking &packing) {
  int64_t &outer = packing.transposed ? columns : depth, &inner = packing.transposed ? depth : columns;
  for (auto [number, size] : llvm::enumerate(source.getShape())) {
    int64_t dimension = number;
    (dimension < packing.batchDims ? batch : dimension < packing.batchDims + packing.outerDims ? outer : inner) *= size;
  }
}

int64_t storedBytes(RankedTensorType type) {
  return llvm::alignTo(type.getNumElements() * elementBytes(type.getElementType()), scratchAlignment);
}

int64_t packedBytes(RankedTensorType source, const PanelPacking &packing) {
  PanelSource shape(source, packing);
  return llvm::alignTo(shape.batch * llvm::divideCeil(shape.columns, packing.nr) * shape.depth * packing.nr *
                           elementBytes(source.getElementType()),
                       scratchAlignment);
}

} // namespace attnc
