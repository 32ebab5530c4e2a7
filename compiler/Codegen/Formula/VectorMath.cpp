// Sources of the polynomials: exp2, expm1, log from S. Moshier's Cephes library (single precision); sin, cos from
// N. Juffa's published minimax approximations; exp, tanh and erf fitted here (weighted least squares, Lawson's method,
// then a search over the last bits of the coefficients for the least error of the whole formula).
#include "compiler/Codegen/Formula/VectorMath.h"
#include "compiler/Codegen/Formula/AngleReduction.h"
#include "compiler/Codegen/Formula/VectorFormula.h"
#include "compiler/Codegen/Formula/VectorRandom.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace attnc {

using Real = VectorFormula::Real;
using Whole = VectorFormula::Whole;

/// ln 2 = ln2High + ln2Low; a product of ln2High and an exponent is exact. Both are positive, so that a sum of products
/// with an infinite exponent is not NaN.
static constexpr double ln2High = 0x1.62e4p-1, ln2Low = 1.42860682e-6;

/// e^r - 1 for |r| <= ln 2 / 2, as r + r^2 P(r).
static Real expm1Reduced(VectorFormula &f, Real r) {
  Real p = f.polynomial(
      r, {1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1});
  return f.fma(p, r * r, r);
}

/// x = n ln 2 + r with n a whole number and |r| <= ln 2 / 2; a NaN stays in r, and n is harmless.
static std::pair<Real, Real> reduceByLn2(VectorFormula &f, Real x, double low, double high) {
  Real n = (f.clamp(x, low, high) * f.real(1.44269504088896341)).roundEven();
  Real r = f.fma(n, f.real(-ln2Low), f.fma(n, f.real(-ln2High), x));
  return {n, r};
}

struct Rounded {
  Real whole; ///< the nearest whole number, for magnitudes below 2^22
  Whole bits; ///< ends in that number's low bits
};

/// Adding 1.5 * 2^23 leaves no bits for a fraction.
static Rounded roundByMagic(VectorFormula &f, Real shifted) { return {shifted - f.real(0x1.8p23), f.bits(shifted)}; }

/// p 2^n by adding n to the exponent, for x = n + ... in (low, high); below 0, above infinity; NaN stays.
static Real scaleWithin(VectorFormula &f, Real p, Whole n, Real x, double low, double high) {
  Real y = f.fromBits(f.bits(p) + (n << 23));
  y = f.select(x.isAboveOrNan(f.real(high)), x + f.real(INFINITY), y);
  return f.select(x < f.real(low), f.real(0), y);
}

/// 17 instructions: x = n ln 2 + r, e^x = 2^n (1 + r + r^2 P(r)), a minimax polynomial on |r| <= ln 2 / 2.
static Real exp(VectorFormula &f, Real x) {
  Rounded n = roundByMagic(f, f.fma(x, f.real(1.44269504088896341), f.real(0x1.8p23)));
  Real r = f.fma(n.whole, f.real(-0x1.62e43p-1), x); // exact
  r = f.fma(n.whole, f.real(0x1.05c610ca86c39p-29), r);
  Real p = f.polynomial(r, {0.0013814402296, 0.0083687861965, 0.041668395551, 0.16666520045, 0.49999993406, 1, 1});
  return scaleWithin(f, p, n.bits, x, -87.3365447505, 0x1.62e42ep6); // the last float with a finite result
}

/// 16 instructions.
static Real exp2(VectorFormula &f, Real x) {
  Rounded n = roundByMagic(f, x + f.real(0x1.8p23));
  Real p = f.polynomial(x - n.whole, {1.535336188319500e-4, 1.339887440266574e-3, 9.618437357674640e-3,
                                      5.550332471162809e-2, 2.402264791363012e-1, 6.931472028550421e-1, 1.0});
  return scaleWithin(f, p, n.bits, x, -126, 0x1.fffffep6);
}

/// (2^(n-1) (e^r - 1) + (2^(n-1) - 1/2)) * 2: no cancellation near 0, no overflow of a finite result.
static Real expm1(VectorFormula &f, Real x) {
  auto [n, r] = reduceByLn2(f, x, -80, 89);
  Real half = f.powerOfTwo(f.toWhole(n) - f.whole(1));
  Real y = f.real(2) * f.fma(half, expm1Reduced(f, r), half - f.real(0.5));
  y = f.select(x > f.real(88.7228390520), f.real(INFINITY), y);
  return f.select(x < f.real(-80), f.real(-1), y);
}

struct SplitLog {
  Real exponent; ///< e
  Real fraction; ///< m - 1, with x = m 2^e and m in [1/sqrt 2, sqrt 2)
  Real tail;     ///< log m = fraction + tail
  bool hasEdges; ///< whether the sum of the parts is right for 0, negative numbers, infinity and NaN
};

static VectorFormula::Split splitByBits(VectorFormula &f, Real x) {
  auto denormal = x < f.real(1.17549435e-38);
  Real normal = f.select(denormal, x * f.real(8388608), x);
  Whole bits = f.bits(normal);
  Whole e = (bits - f.whole(0x3f3504f3)) >> 23;
  return {f.toReal(e) - f.select(denormal, f.real(23), f.real(0)), f.fromBits(bits - (e << 23))};
}

static SplitLog splitLog(VectorFormula &f, Real x) {
  auto split = f.split(x);
  bool hasEdges = split.has_value();
  if (split) {
    auto [e, m] = *split;
    auto isLarge = m >= f.real(0x1.6a09e6p+0);
    split = {f.select(isLarge, e + f.real(1), e), f.select(isLarge, m * f.real(0.5), m)};
  } else {
    split = splitByBits(f, x);
  }
  Real r = split->significand - f.real(1), square = r * r;
  Real p = f.polynomial(r, {7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
                            -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1});
  return {split->exponent, r, f.fma(p * r, square, square * f.real(-0.5)), hasEdges};
}

/// The logarithm with its values at 0, below it, at infinity and NaN.
static Real withLogEdges(VectorFormula &f, Real x, const SplitLog &split, Real y) {
  if (split.hasEdges)
    return y;
  y = f.select(x == f.real(INFINITY), x, y);
  y = f.select(x == f.real(0), f.real(-INFINITY), y);
  return f.select(x.isBelowOrNan(f.real(0)), f.real(NAN), y);
}

static Real log(VectorFormula &f, Real x) {
  SplitLog s = splitLog(f, x);
  Real tail = f.fma(s.exponent, f.real(ln2Low), s.tail);
  return withLogEdges(f, x, s, f.fma(s.exponent, f.real(ln2High), s.fraction + tail));
}

static Real log2(VectorFormula &f, Real x) {
  SplitLog s = splitLog(f, x);
  Real m = f.fma(s.fraction, f.real(0.44269504088896341), s.tail * f.real(1.44269504088896341)) + s.fraction;
  return withLogEdges(f, x, s, s.exponent + m);
}

static Real log10(VectorFormula &f, Real x) { return log(f, x) * f.real(0.434294481903251828); }

/// log u * x / (u - 1) with u = 1 + x rounded: the quotient undoes the rounding.
static Real log1p(VectorFormula &f, Real x) {
  Real u = x + f.real(1);
  Real y = log(f, u) * (x / (u - f.real(1)));
  auto exact = (u == f.real(1)) | (u == f.real(INFINITY));
  return f.select(exact, x, y);
}

/// An odd function with limit 1: x N(x^2) / D(x^2) up to `end`, where it rounds to 1, and never above 1.
static Real oddRational(VectorFormula &f, Real x, double end, ArrayRef<double> numerator,
                        ArrayRef<double> denominator) {
  // This order of operands keeps a NaN.
  Real magnitude = f.minimum(f.real(end), x.absolute()), square = magnitude * magnitude;
  Real y = magnitude * f.polynomial(square, numerator) / f.polynomial(square, denominator);
  return f.copySign(f.minimum(f.real(1), y), x);
}

/// 15 instructions, of which one division.
static Real tanh(VectorFormula &f, Real x) {
  return oddRational(f, x, 9.01, {1.3336825e-08, 2.0596246e-05, 0.00349481241, 0.133803725, 1},
                     {7.76925333e-07, 0.000328436348, 0.0258740336, 0.46713686, 1});
}

static Real sinh(VectorFormula &f, Real x) {
  Real magnitude = x.absolute();
  Real t = expm1(f, magnitude);
  // Past 88 e^|x| overflows before half of it does.
  Real half = exp(f, magnitude * f.real(0.5));
  Real large = half * (half * f.real(0.5));
  Real y = f.select(magnitude > f.real(44), large, f.real(0.5) * (t + t / (t + f.real(1))));
  return f.copySign(y, x);
}

static Real cosh(VectorFormula &f, Real x) {
  Real half = exp(f, x.absolute() * f.real(0.5));
  Real e = half * half;
  return f.select(x.absolute() > f.real(44), half * (half * f.real(0.5)), f.real(0.5) * (e + f.real(1) / e));
}

/// 17 instructions, of which one division.
static Real erf(VectorFormula &f, Real x) {
  return oddRational(f, x, 3.92, {2.05002016e-06, 0.00028487292, 0.00376550108, 0.0527483597, 0.190404817, 1.12837911},
                     {3.80904203e-05, 0.0011624936, 0.0149689969, 0.114108287, 0.502074659, 1});
}

struct Reduced {
  Real sine, cosine; ///< of the remainder
  Whole quadrant;
};

static Reduced reduceAngle(VectorFormula &f, Real x) {
  auto [r, quadrant] = reduceByHalfPi(f, x);
  Real s = r * r;
  Real sine = f.fma(f.polynomial(s, {2.86567956e-6, -1.98559923e-4, 8.33338592e-3, -1.66666672e-1}), r * s, r);
  Real cosine = f.polynomial(s, {2.44677067e-5, -1.38877297e-3, 4.16666567e-2, -5.0e-1, 1.0});
  return {sine, cosine, quadrant};
}

static Real quadrantSine(VectorFormula &f, const Reduced &reduced, Whole quadrant) {
  Real y = f.select(quadrant.anyBit(1), reduced.cosine, reduced.sine);
  return f.select(quadrant.anyBit(2), f.real(0) - y, y);
}

static Real sin(VectorFormula &f, Real x) {
  Reduced reduced = reduceAngle(f, x);
  return quadrantSine(f, reduced, reduced.quadrant);
}

static Real cos(VectorFormula &f, Real x) {
  Reduced reduced = reduceAngle(f, x);
  return quadrantSine(f, reduced, reduced.quadrant + f.whole(1));
}

static Real tan(VectorFormula &f, Real x) {
  Reduced reduced = reduceAngle(f, x);
  auto odd = reduced.quadrant.anyBit(1);
  return f.select(odd, reduced.cosine, reduced.sine) / f.select(odd, f.real(0) - reduced.sine, reduced.cosine);
}

/// |x|^y = 2^(y log2 |x|) in double precision: the product needs 8 more bits than a float holds.
static Real magnitudePower(VectorFormula &f, Real magnitude, Real y) {
  auto denormal = magnitude < f.real(1.17549435e-38);
  Whole bits = f.bits(f.select(denormal, magnitude * f.real(8388608), magnitude));
  Whole e = (bits - f.whole(0x3f3504f3)) >> 23;
  Real m = f.widen(f.fromBits(bits - (e << 23)));
  VectorFormula d = f.inDouble();
  Real s = (m - d.real(1)) / (m + d.real(1)), square = s * s;
  // log2 m = 2/ln 2 (s + s^3/3 + s^5/5 + ...)
  Real series = d.polynomial(square, {1.0 / 13, 1.0 / 11, 1.0 / 9, 1.0 / 7, 1.0 / 5, 1.0 / 3, 1.0});
  Real exponent = f.widen(f.toReal(e) - f.select(denormal, f.real(23), f.real(0)));
  Real t = f.widen(y) * d.fma(series, s * d.real(2.88539008177792681), exponent);
  Real n = d.clamp(t, -150, 150).roundEven();
  Real r = (d.clamp(t, -150, 150) - n) * d.real(0.693147180559945309);
  Real q = d.polynomial(r, {1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1.0, 1.0});
  Real power = f.scale(f.narrow(q), f.toWhole(f.narrow(n)));
  power = f.select(f.narrow(t) >= f.real(128), f.real(INFINITY), power);
  return f.select(f.narrow(t) < f.real(-126), f.real(0), power);
}

/// As in C at zeros, infinities and NaN (C17, F.10.4.4).
static Real powf(VectorFormula &f, Real x, Real y) {
  Real magnitude = x.absolute(), zero = f.real(0), one = f.real(1), infinity = f.real(INFINITY);
  auto isZero = magnitude == zero, isInfinite = magnitude == infinity;
  Real power = magnitudePower(f, magnitude, y);
  Real atZero = f.select(y < zero, infinity, zero), atInfinity = f.select(y < zero, zero, infinity);
  power = f.select(isZero, atZero, power);
  power = f.select(isInfinite, atInfinity, power);
  power = f.select(magnitude == one, one, power); // infinite exponents too
  // A negative base requires a whole exponent; above 2^24 every float is even.
  Real half = y * f.real(0.5);
  auto even = half.floor() == half, whole = y.floor() == y;
  Real fractional = f.select(isZero | isInfinite, power, f.real(NAN));
  Real negativeBase = f.select(whole, f.select(even, power, f.real(-0.0) - power), fractional);
  power = f.select(f.copySign(one, x) < zero, negativeBase, power);
  power = f.select(x.isNan() | y.isNan(), x + y, power);
  return f.select((y == zero) | (x == one), one, power);
}

static bool isNumberConstant(Value value) {
  if (auto broadcast = value.getDefiningOp<vector::BroadcastOp>())
    value = broadcast.getSource();
  APFloat number(0.0f);
  return matchPattern(value, m_ConstantFloat(&number)) && !number.isNaN();
}

/// The greater or lesser of two, NaN if one is. One instruction if one of them is a constant: a comparison with NaN is
/// false and selects the second operand.
static Value extremum(VectorFormula &f, Operation *op) {
  bool greatest = isa<arith::MaximumFOp>(op);
  Value first = op->getOperand(0), second = op->getOperand(1);
  if (isNumberConstant(second))
    std::swap(first, second);
  if (isNumberConstant(first)) {
    Real a = f.value(first), b = f.value(second);
    return (greatest ? f.maximum(a, b) : f.minimum(a, b)).value;
  }
  return f.extremumOrNan(f.value(first), f.value(second), greatest).value;
}

using Expansion = Value (*)(VectorFormula &, Operation *);

template <Real (*function)(VectorFormula &, Real)> static Value unary(VectorFormula &f, Operation *op) {
  return function(f, f.value(op->getOperand(0))).value;
}

static Value power(VectorFormula &f, Operation *op) {
  return powf(f, f.value(op->getOperand(0)), f.value(op->getOperand(1))).value;
}

/// The functions that become arithmetic.
static const llvm::DenseMap<TypeID, Expansion> &expansions() {
  static const llvm::DenseMap<TypeID, Expansion> table = {
      {TypeID::get<math::ExpOp>(), unary<exp>},     {TypeID::get<math::Exp2Op>(), unary<exp2>},
      {TypeID::get<math::ExpM1Op>(), unary<expm1>}, {TypeID::get<math::LogOp>(), unary<log>},
      {TypeID::get<math::Log2Op>(), unary<log2>},   {TypeID::get<math::Log10Op>(), unary<log10>},
      {TypeID::get<math::Log1pOp>(), unary<log1p>}, {TypeID::get<math::TanhOp>(), unary<tanh>},
      {TypeID::get<math::SinhOp>(), unary<sinh>},   {TypeID::get<math::CoshOp>(), unary<cosh>},
      {TypeID::get<math::ErfOp>(), unary<erf>},     {TypeID::get<math::SinOp>(), unary<sin>},
      {TypeID::get<math::CosOp>(), unary<cos>},     {TypeID::get<math::TanOp>(), unary<tan>},
      {TypeID::get<math::PowFOp>(), power},
  };
  return table;
}

bool isExpandedMath(Operation *op) { return expansions().contains(op->getName().getTypeID()); }

bool isSupportedMath(Operation *op) {
  return isExpandedMath(op) || isa<math::SqrtOp, math::RsqrtOp, math::AbsFOp, math::AbsIOp, math::FloorOp, math::CeilOp,
                                   math::RoundOp, math::RoundEvenOp, math::TruncOp, math::CopySignOp, math::FmaOp>(op);
}

LogicalResult expandMath(ModuleOp code, const Target &target) {
  SmallVector<Operation *> worklist;
  code.walk([&](Operation *op) {
    // Devices have an instruction for the greater of two numbers, NaN included.
    bool isExtremum = !target.isDevice && isa<arith::MaximumFOp, arith::MinimumFOp>(op);
    if (isExpandedMath(op) || isExtremum || isa<attn::UniformOp>(op))
      worklist.push_back(op);
  });
  for (Operation *op : worklist) {
    if (!getElementTypeOrSelf(op->getResult(0).getType()).isF32())
      return op->emitError("back end: only f32 is supported here");
    OpBuilder builder(op);
    if (auto draw = dyn_cast<attn::UniformOp>(op)) {
      op->getResult(0).replaceAllUsesWith(expandUniform(builder, draw));
      op->erase();
      continue;
    }
    VectorFormula formula(builder, op->getLoc(), op->getResult(0).getType(), target.isa->lanes);
    Expansion expand = isExpandedMath(op) ? expansions().lookup(op->getName().getTypeID()) : extremum;
    op->getResult(0).replaceAllUsesWith(expand(formula, op));
    op->erase();
  }
  return success();
}

} // namespace attnc
