#include "compiler/Codegen/CPU/Formula/VectorRandom.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace attnc {
namespace {

/// Arithmetic modulo 2^32 on scalars or vectors of one shape.
class Words {
public:
  Words(OpBuilder &builder, Location location, Type i32) : builder(builder), location(location), i32(i32) {}

  Value constant(uint32_t value) { return constant(i32, value); }
  Value exclusiveOr(Value a, Value b) { return make<arith::XOrIOp>(a, b); }
  Value shiftRight(Value a, uint32_t by) { return make<arith::ShRUIOp>(a, constant(by)); }
  Value both(Value a, Value b) { return make<arith::AndIOp>(a, b); }
  Value choose(Value bit, Value ifSet, Value otherwise) {
    Value isSet = make<arith::CmpIOp>(arith::CmpIPredicate::ne, bit, constant(0));
    return make<arith::SelectOp>(isSet, ifSet, otherwise);
  }
  /// The high and the low word of a product.
  std::pair<Value, Value> multiply(Value a, uint32_t factor) {
    Type wide = withElement(64);
    Value extended = builder.createOrFold<arith::ExtUIOp>(location, wide, a);
    Value product = make<arith::MulIOp>(extended, constant(wide, factor));
    Value high = make<arith::ShRUIOp>(product, constant(wide, 32));
    return {builder.createOrFold<arith::TruncIOp>(location, i32, high),
            builder.createOrFold<arith::TruncIOp>(location, i32, product)};
  }
  /// The 24 highest bits as a fraction.
  Value fraction(Value word) {
    auto vector = dyn_cast<VectorType>(i32);
    Type real = vector ? Type(vector.clone(builder.getF32Type())) : builder.getF32Type();
    Value whole = arith::SIToFPOp::create(builder, location, real, shiftRight(word, 8));
    TypedAttr unit = builder.getF32FloatAttr(0x1p-24f);
    if (vector)
      unit = DenseElementsAttr::get(cast<ShapedType>(real), Attribute(unit));
    return arith::MulFOp::create(builder, location, whole, arith::ConstantOp::create(builder, location, unit));
  }

private:
  template <typename Op, typename... Values> Value make(Values... values) {
    return builder.createOrFold<Op>(location, values...);
  }
  Type withElement(unsigned width) {
    Type element = builder.getIntegerType(width);
    auto vector = dyn_cast<VectorType>(i32);
    return vector ? Type(vector.clone(element)) : element;
  }
  Value constant(Type type, uint32_t value) {
    unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
    TypedAttr attribute = builder.getIntegerAttr(getElementTypeOrSelf(type), APInt(width, value));
    if (auto vector = dyn_cast<VectorType>(type))
      attribute = DenseElementsAttr::get(vector, Attribute(attribute));
    return arith::ConstantOp::create(builder, location, attribute);
  }

  OpBuilder &builder;
  Location location;
  Type i32;
};

} // namespace

Value expandUniform(OpBuilder &builder, attn::UniformOp draw) {
  Words words(builder, draw.getLoc(), draw.getSeed().getType());
  Value column = draw.getColumn();
  Value c[] = {words.shiftRight(column, 2), draw.getRow(), draw.getStep(), draw.getPlace()};
  // The key is the same for all draws of a kernel: sums with constants, outside of its loops.
  Value seed = draw.getSeed();
  uint32_t site = draw.getSite(), weyl = 0;
  for (int round = 0; round < 10; ++round) {
    auto [evenHigh, evenLow] = words.multiply(c[0], 0xD2511F53);
    auto [oddHigh, oddLow] = words.multiply(c[2], 0xCD9E8D57);
    Value key = builder.createOrFold<arith::AddIOp>(draw.getLoc(), seed, words.constant(weyl));
    c[0] = words.exclusiveOr(words.exclusiveOr(oddHigh, c[1]), key);
    c[1] = oddLow;
    c[2] = words.exclusiveOr(words.exclusiveOr(evenHigh, c[3]), words.constant(site));
    c[3] = evenLow;
    weyl += 0x9E3779B9;
    site += 0xBB67AE85;
  }
  Value isOdd = words.both(column, words.constant(1)), isHigh = words.both(column, words.constant(2));
  Value low = words.choose(isOdd, c[1], c[0]), high = words.choose(isOdd, c[3], c[2]);
  return words.fraction(words.choose(isHigh, high, low));
}

} // namespace attnc
