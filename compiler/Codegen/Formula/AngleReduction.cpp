#include "compiler/Codegen/Formula/AngleReduction.h"
#include <array>

using namespace mlir;

namespace attnc {
namespace {

/// Arithmetic modulo 2^64 on scalars.
class Words64 {
public:
  Words64(OpBuilder &builder, Location location) : builder(builder), location(location) {}

  Value constant(uint64_t value) {
    return arith::ConstantOp::create(builder, location, builder.getI64IntegerAttr(static_cast<int64_t>(value)));
  }
  Value add(Value a, Value b) { return make<arith::AddIOp>(a, b); }
  Value subtract(Value a, Value b) { return make<arith::SubIOp>(a, b); }
  Value multiply(Value a, Value b) { return make<arith::MulIOp>(a, b); }
  Value both(Value a, uint64_t mask) { return make<arith::AndIOp>(a, constant(mask)); }
  Value either(Value a, Value b) { return make<arith::OrIOp>(a, b); }
  Value left(Value a, uint64_t by) { return left(a, constant(by)); }
  Value left(Value a, Value by) { return make<arith::ShLIOp>(a, by); }
  Value right(Value a, uint64_t by) { return make<arith::ShRUIOp>(a, constant(by)); }
  Value isEqual(Value a, uint64_t value) { return make<arith::CmpIOp>(arith::CmpIPredicate::eq, a, constant(value)); }
  Value choose(Value condition, Value a, Value b) { return make<arith::SelectOp>(condition, a, b); }

private:
  template <typename Op, typename... Values> Value make(Values... values) {
    return builder.createOrFold<Op>(location, values...);
  }

  OpBuilder &builder;
  Location location;
};

constexpr unsigned wordBits = 32, mantissaBits = 23, exponentBias = 127;
constexpr uint64_t exponentOfInfinity = 255;

/// 2/pi, the most significant word first, after a word of zeros.
constexpr std::array<uint64_t, 8> twoOverPi = {0,          0xa2f9836e, 0x4e441529, 0xfc2757d1,
                                               0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab};

/// The three words of 2/pi that determine the remainder. With the mantissa of `exponent` as a whole number, the first
/// bit has weight 2: the product with earlier bits is a multiple of 4.
std::array<Value, 3> significantWords(Words64 &words, Value exponent) {
  // The unit of a mantissa is 2^(exponent - 150); the first bit after the zeros has weight 1/2.
  constexpr uint64_t firstBit = exponentBias + mantissaBits - wordBits + 2;
  Value start = words.subtract(exponent, words.constant(firstBit));
  Value word = words.right(start, 5), shift = words.both(start, wordBits - 1);
  std::array<Value, 4> chosen;
  for (size_t k = 0; k < chosen.size(); ++k) {
    chosen[k] = words.constant(twoOverPi[k]);
    for (size_t skipped = 1; skipped + chosen.size() <= twoOverPi.size(); ++skipped)
      chosen[k] = words.choose(words.isEqual(word, skipped), words.constant(twoOverPi[k + skipped]), chosen[k]);
  }
  std::array<Value, 3> result;
  for (size_t k = 0; k < result.size(); ++k) {
    Value two = words.either(words.left(chosen[k], wordBits), chosen[k + 1]);
    result[k] = words.right(words.left(two, shift), wordBits);
  }
  return result;
}

/// The remainder, an f32, and the quadrant, an i32, of a float above 2^21.
SmallVector<Value> reduceLarge(OpBuilder &builder, Location location, Value x) {
  Words64 words(builder, location);
  Value bits = arith::ExtUIOp::create(builder, location, builder.getI64Type(),
                                      arith::BitcastOp::create(builder, location, builder.getI32Type(), x));
  Value exponent = words.both(words.right(bits, mantissaBits), exponentOfInfinity);
  constexpr uint64_t leadingBit = uint64_t(1) << mantissaBits;
  Value mantissa = words.either(words.both(bits, leadingBit - 1), words.constant(leadingBit));
  auto [first, second, third] = significantWords(words, exponent);
  // In units of 2^-62 quadrants, modulo 4 quadrants.
  constexpr uint64_t fractionBits = 62;
  Value high = words.multiply(mantissa, words.either(words.left(first, wordBits), second));
  Value angle = words.add(high, words.right(words.multiply(mantissa, third), wordBits));
  Value half = words.constant(uint64_t(1) << (fractionBits - 1));
  Value quadrant = words.right(words.add(angle, half), fractionBits);
  Value fraction = words.subtract(angle, words.left(quadrant, fractionBits));

  VectorFormula f(builder, location, builder.getF32Type()), d = f.inDouble();
  auto remainder = f.narrow(d.toReal({&d, fraction}) * d.real(0x1.921fb54442d18p-62));
  Value isNegative = words.isEqual(words.right(bits, 31), 1), isInfinite = words.isEqual(exponent, exponentOfInfinity);
  Value signedRemainder = words.choose(isNegative, (f.real(-0.0) - remainder).value, remainder.value);
  Value signedQuadrant = words.choose(isNegative, words.subtract(words.constant(0), quadrant), quadrant);
  return {words.choose(isInfinite, f.real(NAN).value, signedRemainder),
          arith::TruncIOp::create(builder, location, builder.getI32Type(), signedQuadrant)};
}

} // namespace

ReducedAngle reduceByHalfPi(VectorFormula &f, VectorFormula::Real x) {
  constexpr double large = 0x1p21;
  auto n = (f.clamp(x, -2 * large, 2 * large) * f.real(0.636619772367581343)).roundEven();
  auto r = f.fma(n, f.real(-1.57079601287841796875), x);
  r = f.fma(n, f.real(-3.1391647326017846e-7), r);
  r = f.fma(n, f.real(-5.390302529957765e-15), r);
  auto isLarge = x.absolute() > f.real(large);
  SmallVector<Value> exact = f.replaceRare(isLarge, {r.value, f.toWhole(n).value}, x, reduceLarge);
  return {f.value(exact[0]), {&f, exact[1]}};
}

} // namespace attnc
