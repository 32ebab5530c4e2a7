#include "compiler/Codegen/Nest/IndexBuilder.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace attnc {

Value IndexBuilder::constant(int64_t value) {
  return arith::ConstantOp::create(builder, location, builder.getIntegerAttr(type, value));
}

std::optional<int64_t> IndexBuilder::constantOf(Value value) { return getConstantIntValue(value); }

Value IndexBuilder::add(Value a, Value b) {
  if (constantOf(a) == 0)
    return b;
  return builder.createOrFold<arith::AddIOp>(location, a, b);
}

Value IndexBuilder::sub(Value a, Value b) { return builder.createOrFold<arith::SubIOp>(location, a, b); }
Value IndexBuilder::mul(Value a, Value b) { return builder.createOrFold<arith::MulIOp>(location, a, b); }

// On non-negative numbers the cheaper unsigned division is equal.
Value IndexBuilder::div(Value a, Value b) { return builder.createOrFold<arith::DivUIOp>(location, a, b); }
Value IndexBuilder::rem(Value a, Value b) { return builder.createOrFold<arith::RemUIOp>(location, a, b); }
Value IndexBuilder::min(Value a, Value b) { return builder.createOrFold<arith::MinSIOp>(location, a, b); }
Value IndexBuilder::max(Value a, Value b) { return builder.createOrFold<arith::MaxSIOp>(location, a, b); }

Value IndexBuilder::compare(arith::CmpIPredicate predicate, Value a, Value b) {
  return builder.createOrFold<arith::CmpIOp>(location, predicate, a, b);
}

Value IndexBuilder::both(Value a, Value b) { return builder.createOrFold<arith::AndIOp>(location, a, b); }
Value IndexBuilder::either(Value a, Value b) { return builder.createOrFold<arith::OrIOp>(location, a, b); }

Value IndexBuilder::boolean(bool value) {
  return arith::ConstantOp::create(builder, location, builder.getBoolAttr(value));
}

Value IndexBuilder::choose(Value condition, Value a, Value b) {
  return builder.createOrFold<arith::SelectOp>(location, condition, a, b);
}

IndexBuilder::Values IndexBuilder::delinearise(Value flat, ValueRange sizes) {
  Values subscripts(sizes.size());
  for (size_t i = sizes.size(); i-- > 1;) {
    subscripts[i] = rem(flat, sizes[i]);
    flat = div(flat, sizes[i]);
  }
  if (!sizes.empty())
    subscripts[0] = flat;
  return subscripts;
}

Value IndexBuilder::linearise(ValueRange subscripts, ValueRange sizes) {
  Value flat = constant(0);
  for (auto [subscript, size] : llvm::zip(subscripts, sizes))
    flat = add(mul(flat, size), subscript);
  return flat;
}

} // namespace attnc
