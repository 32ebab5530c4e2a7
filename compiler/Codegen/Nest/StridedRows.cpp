#include "compiler/Codegen/Nest/StridedRows.h"

using namespace mlir;

namespace attnc {

/// The distance of two elements, which is known if it is that of one subscript and the sizes after it are known.
static Value distance(FlatBuilder &code, ValueRange from, ValueRange to, ValueRange sizes) {
  auto areEqual = [](Value a, Value b) {
    auto known = FlatBuilder::constantOf(a);
    return a == b || (known && known == FlatBuilder::constantOf(b));
  };
  unsigned differences = 0, last = 0;
  for (unsigned dimension = 0; dimension < from.size(); ++dimension)
    if (!areEqual(from[dimension], to[dimension]))
      ++differences, last = dimension;
  if (differences != 1)
    return code.sub(code.linearise(to, sizes), code.linearise(from, sizes));
  Value elements = code.constant(1);
  for (Value size : sizes.drop_front(last + 1))
    elements = code.mul(elements, size);
  return elements;
}

StridedRows stridedRows(FlatBuilder &code, Value memref, ValueRange first, ValueRange second) {
  FlatBuilder::Values sizes;
  for (unsigned dimension = 0; dimension < first.size(); ++dimension)
    sizes.push_back(code.sizeOf(memref, dimension));
  return {code.flat(memref), code.linearise(first, sizes), distance(code, first, second, sizes)};
}

} // namespace attnc
