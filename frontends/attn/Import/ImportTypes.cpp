#include "frontends/attn/Import/ImportTypes.h"

#include "llvm/Support/ErrorHandling.h"

using namespace mlir;

namespace attnc {

using namespace typed;

Location ImportTypes::location(SourceRange range) const {
  if (!range.valid())
    return UnknownLoc::get(&context);
  const SourceFile &file = sources.file(range.file);
  LineColumn begin = file.lineColumn(range.begin), end = file.lineColumn(range.end);
  return FileLineColRange::get(&context, file.name(), begin.line, begin.column, end.line, end.column);
}

mlir::Type ImportTypes::elementType(Element element) const {
  switch (element) {
  case Element::F32:
    return Float32Type::get(&context);
  case Element::I32:
    return IntegerType::get(&context, 32);
  case Element::Bool:
    return IntegerType::get(&context, 1);
  case Element::Index:
    return IndexType::get(&context);
  }
  llvm_unreachable("an element type");
}

RankedTensorType ImportTypes::tensorType(Element element, const Shape &shape) const {
  SmallVector<int64_t> sizes;
  for (const Dim &dim : shape)
    sizes.push_back(dim.isConstant() ? dim.constant() : ShapedType::kDynamic);
  return RankedTensorType::get(sizes, elementType(element == Element::Index ? Element::I32 : element));
}

} // namespace attnc
