// Places, types and sizes.

#include "frontends/attn/Import/Importer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace attnc {

using namespace typed;

Location Importer::location(SourceRange range) const {
  if (!range.valid())
    return UnknownLoc::get(builder.getContext());
  const SourceFile &file = sources.file(range.file);
  LineColumn begin = file.lineColumn(range.begin), end = file.lineColumn(range.end);
  return FileLineColRange::get(builder.getContext(), file.name(), begin.line, begin.column, end.line, end.column);
}

mlir::Type Importer::elementType(Element element) {
  switch (element) {
  case Element::F32:
    return builder.getF32Type();
  case Element::I32:
    return builder.getI32Type();
  case Element::Bool:
    return builder.getI1Type();
  case Element::Index:
    return builder.getIndexType();
  }
  llvm_unreachable("an element type");
}

RankedTensorType Importer::tensorType(const typed::Type &type) { return tensorType(type.element, type.shape); }

/// Sizes are stored as i32: a tensor of indices is one of numbers.
RankedTensorType Importer::tensorType(Element element, const Shape &shape) {
  SmallVector<int64_t> sizes;
  for (const Dim &dim : shape)
    sizes.push_back(dim.isConstant() ? dim.constant() : ShapedType::kDynamic);
  return RankedTensorType::get(sizes, elementType(element == Element::Index ? Element::I32 : element));
}

/// Sizes are computed in front of the op whose body is being built, so that they hold in all of the scope.
Value Importer::size(const Dim &dim, Location at) {
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope)
    if (auto found = scope->sizes.find(dim); found != scope->sizes.end())
      return found->second;
  OpBuilder::InsertionGuard guard(builder);
  if (bodyOwner)
    builder.setInsertionPoint(bodyOwner);
  Value sum;
  for (const auto &[names, factor] : dim.getTerms()) {
    Value product;
    if (factor != 1 || names.empty())
      product = arith::ConstantIndexOp::create(builder, at, factor);
    for (const std::string &name : names) {
      Value factorValue = size(Dim::symbol(name), at);
      product = product ? arith::MulIOp::create(builder, at, product, factorValue).getResult() : factorValue;
    }
    sum = sum ? arith::AddIOp::create(builder, at, sum, product).getResult() : product;
  }
  if (!sum)
    sum = arith::ConstantIndexOp::create(builder, at, 0);
  scopes.back().sizes[dim] = sum;
  return sum;
}

OpFoldResult Importer::mixedSize(const Dim &dim, Location at) {
  if (dim.isConstant())
    return builder.getIndexAttr(dim.constant());
  return size(dim, at);
}

SmallVector<OpFoldResult> Importer::mixedSizes(const Shape &shape, Location at) {
  SmallVector<OpFoldResult> sizes;
  for (const Dim &dim : shape)
    sizes.push_back(mixedSize(dim, at));
  return sizes;
}

Value Importer::empty(Element element, const Shape &shape, Location at) {
  return tensor::EmptyOp::create(builder, at, mixedSizes(shape, at), tensorType(element, shape).getElementType());
}

Value Importer::filled(Value scalar, Element element, const Shape &shape, Location at) {
  return linalg::FillOp::create(builder, at, scalar, empty(element, shape, at)).getResult(0);
}

} // namespace attnc
