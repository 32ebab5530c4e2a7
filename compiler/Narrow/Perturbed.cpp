#include "compiler/Narrow/Perturbed.h"
#include "compiler/ElementTypes/ElementType.h"
#include "dialects/Attn/Attn.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include <numbers>
#include <optional>

using namespace mlir;

namespace attnc {

static constexpr double infinity = std::numeric_limits<double>::infinity();

StorageFormat StorageFormat::of(FloatType element) {
  const llvm::fltSemantics &semantics = element.getFloatSemantics();
  int precision = int(llvm::APFloat::semanticsPrecision(semantics));
  int lowest = llvm::APFloat::semanticsMinExponent(semantics);
  return {unitRoundoff(semantics), std::ldexp(1.0, lowest - precision + 1),
          llvm::APFloat::getLargest(semantics).convertToDouble(), std::ldexp(1.0, precision)};
}

double StorageFormat::errorOf(const Enclosure &value) const {
  return std::max(value.magnitude(), spacing / 2 / roundoff);
}

Perturbed Perturbed::number(double value) { return {Enclosure::point(value), 0, true, value == std::floor(value)}; }

/// error * slope, where an error of zero stays zero whatever the slope.
static double times(double error, double slope) { return error == 0 ? 0 : error * slope; }

//===---------------------------------------- functions of one number --------------------------------------------===//

using Slope = double (*)(const Enclosure &); ///< largest |f'| over an enclosure

static double one(const Enclosure &) { return 1; }
static double slopeOfExp(const Enclosure &a) { return std::exp(a.greatest); }
static double slopeOfExp2(const Enclosure &a) { return std::numbers::ln2 * std::exp2(a.greatest); }
static double slopeOfTanh(const Enclosure &a) { return 1 - std::pow(std::tanh(a.mignitude()), 2); }
static double slopeOfSinh(const Enclosure &a) { return std::cosh(a.magnitude()); }
static double slopeOfCosh(const Enclosure &a) { return std::sinh(a.magnitude()); }
static double slopeOfErf(const Enclosure &a) {
  return 2 * std::numbers::inv_sqrtpi * std::exp(-std::pow(a.mignitude(), 2));
}
static double slopeOfSqrt(const Enclosure &a) { return .5 / std::sqrt(std::max(a.least, 0.0)); }
static double slopeOfRsqrt(const Enclosure &a) { return .5 * std::pow(std::max(a.least, 0.0), -1.5); }
static double slopeOfLog(const Enclosure &a) { return 1 / std::max(a.least, 0.0); }
static double slopeOfLog1p(const Enclosure &a) { return 1 / std::max(a.least + 1, 0.0); }
static double slopeOfLog2(const Enclosure &a) { return slopeOfLog(a) / std::numbers::ln2; }
static double slopeOfLog10(const Enclosure &a) { return slopeOfLog(a) / std::numbers::ln10; }

namespace {

/// A monotone function and its domain.
struct Monotone {
  double (*value)(double);
  Slope slope;
  double domain = -infinity;
  bool falls = false;
};

struct Function {
  Enclosure (*value)(const Enclosure &);
  Slope slope;
};

} // namespace

static const llvm::StringMap<Monotone> &monotoneFunctions() {
  static const llvm::StringMap<Monotone> table = {
      {"math.atan", {[](double x) { return std::atan(x); }, one}},
      {"math.asinh", {[](double x) { return std::asinh(x); }, one}},
      {"math.tanh", {[](double x) { return std::tanh(x); }, slopeOfTanh}},
      {"math.erf", {[](double x) { return std::erf(x); }, slopeOfErf}},
      {"math.erfc", {[](double x) { return std::erfc(x); }, slopeOfErf, -infinity, true}},
      {"math.sinh", {[](double x) { return std::sinh(x); }, slopeOfSinh}},
      {"math.exp", {[](double x) { return std::exp(x); }, slopeOfExp}},
      {"math.expm1", {[](double x) { return std::expm1(x); }, slopeOfExp}},
      {"math.exp2", {[](double x) { return std::exp2(x); }, slopeOfExp2}},
      {"math.log", {[](double x) { return std::log(x); }, slopeOfLog, 0}},
      {"math.log1p", {[](double x) { return std::log1p(x); }, slopeOfLog1p, -1}},
      {"math.log2", {[](double x) { return std::log2(x); }, slopeOfLog2, 0}},
      {"math.log10", {[](double x) { return std::log10(x); }, slopeOfLog10, 0}},
      {"math.sqrt", {[](double x) { return std::sqrt(x); }, slopeOfSqrt, 0}},
      {"math.rsqrt", {[](double x) { return 1 / std::sqrt(x); }, slopeOfRsqrt, 0, true}},
  };
  return table;
}

/// Whether the enclosure is within the branch around 0.
static bool isOneBranch(const Enclosure &a) { return a.magnitude() < std::numbers::pi / 2; }
static double slopeOfTan(const Enclosure &a) {
  return isOneBranch(a) ? 1 + std::pow(std::tan(a.magnitude()), 2) : undecidedError;
}
static Enclosure tangent(const Enclosure &a) {
  return isOneBranch(a) ? rising(a, [](double x) { return std::tan(x); }) : Enclosure::everything();
}

static const llvm::StringMap<Function> &otherFunctions() {
  using E = const Enclosure &;
  static const llvm::StringMap<Function> table = {
      {"arith.negf", {[](E a) { return -a; }, one}},
      {"arith.extf", {[](E a) { return a; }, one}},
      {"arith.truncf", {[](E a) { return a; }, one}},
      {"attn.stop", {[](E a) { return a; }, one}},
      {"math.absf", {absolute, one}},
      {"math.sin", {sine, one}},
      {"math.tan", {tangent, slopeOfTan}},
      {"math.cos", {cosine, one}},
      {"math.cosh", {[](E a) { return rising(absolute(a), [](double x) { return std::cosh(x); }); }, slopeOfCosh}},
  };
  return table;
}

/// f(a) and its error; null if `name` is no such function.
static std::optional<Perturbed> applied(StringRef name, const Perturbed &a) {
  if (auto found = otherFunctions().find(name); found != otherFunctions().end())
    return Perturbed{found->second.value(a.value), a.error > 0 ? a.error * found->second.slope(a.value) : 0};
  auto found = monotoneFunctions().find(name);
  if (found == monotoneFunctions().end())
    return std::nullopt;
  const Monotone &function = found->second;
  Enclosure value = function.falls ? -rising(
                                         a.value, [&](double x) { return -function.value(x); }, function.domain)
                                   : rising(a.value, function.value, function.domain);
  return Perturbed{value, a.error > 0 ? a.error * function.slope(a.value) : 0};
}

/// Piecewise constant functions.
static std::optional<Enclosure> steps(StringRef name, const Enclosure &a) {
  using Step = double (*)(double);
  static const llvm::StringMap<Step> table = {
      {"math.floor", [](double x) { return std::floor(x); }},
      {"math.ceil", [](double x) { return std::ceil(x); }},
      {"math.round", [](double x) { return std::round(x); }},
      {"math.trunc", [](double x) { return std::trunc(x); }},
      {"math.roundeven", [](double x) { return std::rint(x); }},
      {"arith.fptosi", [](double x) { return std::trunc(x); }},
      {"arith.fptoui", [](double x) { return std::trunc(x); }},
  };
  auto found = table.find(name);
  return found == table.end() ? std::nullopt : std::optional(rising(a, found->second));
}

//===---------------------------------------- functions of several -----------------------------------------------===//

/// Maximum; only operands that may be the maximum contribute errors.
static Perturbed greater(const Perturbed &a, const Perturbed &b) {
  Perturbed result{maximum(a.value, b.value)};
  bool isA = a.value.least >= b.value.greatest, isB = b.value.least >= a.value.greatest;
  result.error = isA ? a.error : isB ? b.error : std::max(a.error, b.error);
  return result;
}

static Perturbed negated(Perturbed a) {
  a.value = -a.value;
  return a;
}

/// d(x^y) = y x^(y-1) dx + log(x) x^y dy
static Perturbed raised(const Perturbed &x, const Perturbed &y) {
  Perturbed result{power(x.value, y.value)};
  Enclosure slope = y.value * power(x.value, y.value - Enclosure::point(1));
  Enclosure log = rising(
      x.value, [](double each) { return std::log(each); }, 0);
  result.error = times(x.error, slope.magnitude()) + times(y.error, (log * result.value).magnitude());
  return result;
}

static std::optional<Perturbed> arithmetic(StringRef name, llvm::ArrayRef<Perturbed> x) {
  auto add = [](const Perturbed &a, const Perturbed &b) { return Perturbed{a.value + b.value, a.error + b.error}; };
  auto multiply = [](const Perturbed &a, const Perturbed &b) {
    return Perturbed{a.value * b.value, times(a.error, b.value.magnitude()) + times(b.error, a.value.magnitude())};
  };
  if (name == "arith.addf" || name == "arith.addi")
    return add(x[0], x[1]);
  if (name == "arith.subf" || name == "arith.subi")
    return add(x[0], negated(x[1]));
  if (name == "arith.mulf" || name == "arith.muli")
    return multiply(x[0], x[1]);
  if (name == "math.fma")
    return add(multiply(x[0], x[1]), x[2]);
  if (name == "arith.divf") {
    double least = x[1].value.mignitude();
    return Perturbed{x[0].value / x[1].value,
                     times(x[0].error, 1 / least) + times(x[1].error, x[0].value.magnitude() / least / least)};
  }
  if (name == "arith.maximumf" || name == "arith.maxnumf" || name == "arith.maxsi" || name == "arith.maxui")
    return greater(x[0], x[1]);
  if (name == "arith.minimumf" || name == "arith.minnumf" || name == "arith.minsi" || name == "arith.minui")
    return negated(greater(negated(x[0]), negated(x[1])));
  if (name == "math.clampf")
    return greater(negated(greater(negated(x[0]), negated(x[2]))), x[1]);
  if (name == "math.powf" || name == "math.fpowi")
    return raised(x[0], x[1]);
  return std::nullopt;
}

//===---------------------------------------- integers and booleans ----------------------------------------------===//

/// A boolean: undecided if the enclosures overlap; it has an error only if an operand has one.
static Perturbed truth(std::optional<bool> known, llvm::ArrayRef<Perturbed> operands, const StorageFormat &format) {
  if (known)
    return {Enclosure::point(*known ? 1 : 0), 0, false, true};
  bool mayFlip = llvm::any_of(operands, [](const Perturbed &each) { return each.error > 0; });
  return {{0, 1}, mayFlip ? 1 / format.roundoff : 0, false, true};
}

/// a < b; null if the enclosures overlap.
static std::optional<bool> isLess(const Enclosure &a, const Enclosure &b) {
  if (a.greatest < b.least)
    return true;
  return a.least >= b.greatest ? std::optional(false) : std::nullopt;
}

static std::optional<bool> isEqual(const Enclosure &a, const Enclosure &b) {
  if (a.greatest < b.least || b.greatest < a.least)
    return false;
  return a.isPoint() && b.isPoint() ? std::optional(true) : std::nullopt;
}

static std::optional<bool> inverted(std::optional<bool> known) { return known ? std::optional(!*known) : std::nullopt; }

static std::optional<bool> compared(arith::CmpFOp op, const Enclosure &a, const Enclosure &b) {
  using P = arith::CmpFPredicate;
  bool isSame = op.getLhs() == op.getRhs(); // test for NaN
  switch (op.getPredicate()) {
  case P::OLT:
  case P::ULT:
    return isSame ? false : isLess(a, b);
  case P::OGT:
  case P::UGT:
    return isSame ? false : isLess(b, a);
  case P::OLE:
  case P::ULE:
    return isSame ? true : inverted(isLess(b, a));
  case P::OGE:
  case P::UGE:
    return isSame ? true : inverted(isLess(a, b));
  case P::OEQ:
  case P::UEQ:
    return isSame ? true : isEqual(a, b);
  case P::ONE:
  case P::UNE:
    return isSame ? false : inverted(isEqual(a, b));
  case P::ORD:
  case P::AlwaysTrue:
    return true;
  case P::UNO:
  case P::AlwaysFalse:
    return false;
  }
  llvm_unreachable("a predicate of cmpf");
}

static std::optional<bool> compared(arith::CmpIOp op, const Enclosure &a, const Enclosure &b) {
  using P = arith::CmpIPredicate;
  switch (op.getPredicate()) {
  case P::slt:
  case P::ult:
    return isLess(a, b);
  case P::sgt:
  case P::ugt:
    return isLess(b, a);
  case P::sle:
  case P::ule:
    return inverted(isLess(b, a));
  case P::sge:
  case P::uge:
    return inverted(isLess(a, b));
  case P::eq:
    return isEqual(a, b);
  case P::ne:
    return inverted(isEqual(a, b));
  }
  llvm_unreachable("a predicate of cmpi");
}

/// and, or, xor of booleans.
static std::optional<bool> combined(StringRef name, const Enclosure &a, const Enclosure &b) {
  if (a.isPoint() && b.isPoint()) {
    bool x = a.least != 0, y = b.least != 0;
    return name == "arith.andi" ? x && y : name == "arith.ori" ? x || y : x != y;
  }
  double absorbing = name == "arith.andi" ? 0 : 1;
  bool isAbsorbed = (a.isPoint() && a.least == absorbing) || (b.isPoint() && b.least == absorbing);
  return isAbsorbed && name != "arith.xori" ? std::optional(absorbing != 0) : std::nullopt;
}

/// Quotients and remainders of positions by positive numbers.
static Enclosure quotient(StringRef name, const Enclosure &a, const Enclosure &b) {
  if (b.least <= 0)
    return Enclosure::everything();
  if (name.contains("rem"))
    return {a.least < 0 ? -b.greatest + 1 : 0, b.greatest - 1};
  Enclosure whole = a / b;
  return {std::floor(whole.least), std::ceil(whole.greatest)};
}

static std::optional<Perturbed> integer(Operation *op, llvm::ArrayRef<Perturbed> x, const StorageFormat &format) {
  StringRef name = op->getName().getStringRef();
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::SIToFPOp,
          arith::UIToFPOp>(op))
    return x[0];
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    return truth(compared(compare, x[0].value, x[1].value), x, format);
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return truth(compared(compare, x[0].value, x[1].value), x, format);
  if (isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op) && op->getResult(0).getType().isInteger(1))
    return truth(combined(name, x[0].value, x[1].value), x, format);
  if (name == "math.isnan" || name == "math.isinf" || name == "math.isfinite")
    return truth(name == "math.isfinite", x, format);
  bool isUncertain = llvm::any_of(x, [](const Perturbed &each) { return each.error > 0; });
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp, arith::RemSIOp,
          arith::RemUIOp>(op))
    return Perturbed{quotient(name, x[0].value, x[1].value), isUncertain ? undecidedError : 0};
  return std::nullopt;
}

//===---------------------------------------- any operation ------------------------------------------------------===//

/// If the selected operand is undecided because of rounding, the distance of the operands is an error.
static Perturbed selected(llvm::ArrayRef<Perturbed> x, const StorageFormat &format) {
  if (x[0].isDecided())
    return x[0].value.least != 0 ? x[1] : x[2];
  double distance = x[0].error > 0 ? (x[1].value - x[2].value).magnitude() / format.roundoff : 0;
  return {hull(x[1].value, x[2].value), std::max(x[1].error, x[2].error) + distance};
}

static Perturbed computed(Operation *op, llvm::ArrayRef<Perturbed> x, const StorageFormat &format) {
  StringRef name = op->getName().getStringRef();
  if (isa<arith::SelectOp>(op))
    return selected(x, format);
  if (isa<arith::MulFOp>(op) && op->getOperand(0) == op->getOperand(1))
    return raised(x[0], Perturbed::number(2));
  if (x.empty())
    return {Enclosure::everything()};
  if (std::optional<Perturbed> result = applied(name, x[0]))
    return *result;
  if (std::optional<Enclosure> stepped = steps(name, x[0].value))
    return {*stepped, x[0].error > 0 ? stepped->width() / format.roundoff : 0};
  if (std::optional<Perturbed> result = arithmetic(name, x))
    return *result;
  if (std::optional<Perturbed> result = integer(op, x, format))
    return *result;
  bool isUncertain = llvm::any_of(x, [](const Perturbed &each) { return each.error > 0; });
  return {isa<attn::UniformOp>(op) ? Enclosure{0, 1} : Enclosure::everything(), isUncertain ? undecidedError : 0};
}

static bool preservesIntegers(Operation *op) {
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::NegFOp, arith::MaximumFOp, arith::MinimumFOp,
             arith::MaxNumFOp, arith::MinNumFOp, arith::SelectOp, math::AbsFOp>(op);
}

Perturbed propagate(Operation *op, llvm::ArrayRef<Perturbed> operands, const StorageFormat &format) {
  Perturbed result = computed(op, operands, format);
  result.isExact =
      llvm::all_of(operands, [](const Perturbed &each) { return each.isExact; }) && !isa<attn::UniformOp>(op);
  bool isWhole = llvm::all_of(operands, [](const Perturbed &each) { return each.isIntegral; });
  result.isIntegral = !isa<FloatType>(op->getResult(0).getType()) || steps(op->getName().getStringRef(), {}) ||
                      isa<arith::SIToFPOp, arith::UIToFPOp>(op) || (preservesIntegers(op) && isWhole);
  bool isInfinite = result.value.isPoint() && !result.value.isFinite(); // independent of rounding
  if (isInfinite)
    result.error = 0;
  if (std::isnan(result.error))
    result.error = infinity;
  return result;
}

} // namespace attnc
