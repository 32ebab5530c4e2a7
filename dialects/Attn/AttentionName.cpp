#include "dialects/Attn/AttentionName.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

namespace mlir::attn {

Location namedLocation(Location place, const AttentionName &name) {
  std::string text = name.module + "[" + llvm::join(name.indices, ", ") + "]";
  return NameLoc::get(StringAttr::get(place.getContext(), text), place);
}

std::optional<AttentionName> attentionNameOf(Operation *op) {
  auto named = op->getLoc()->findInstanceOf<NameLoc>();
  if (!named)
    return std::nullopt;
  auto [module, rest] = named.getName().getValue().split('[');
  if (!rest.consume_back("]"))
    return std::nullopt;
  AttentionName name{module.str(), {}};
  llvm::SmallVector<StringRef> indices;
  rest.split(indices, ", ", /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef index : indices)
    name.indices.push_back(index.str());
  return name;
}

} // namespace mlir::attn
