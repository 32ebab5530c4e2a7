#include "compiler/Reference/ScalarOps.h"
#include "dialects/Attn/Attn.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringMap.h"
#include <array>
#include <cmath>
#include <limits>

using namespace mlir;
using namespace attnc::reference;

static constexpr double quietNaN = std::numeric_limits<double>::quiet_NaN();

static double maximum(double a, double b) { return std::isnan(a) || std::isnan(b) ? quietNaN : a > b ? a : b; }
static double minimum(double a, double b) { return std::isnan(a) || std::isnan(b) ? quietNaN : a < b ? a : b; }

using FloatFunction = double (*)(const double *);

static const llvm::StringMap<FloatFunction> &floatFunctions() {
  static const llvm::StringMap<FloatFunction> table = {
      {"arith.addf", [](const double *x) { return x[0] + x[1]; }},
      {"arith.subf", [](const double *x) { return x[0] - x[1]; }},
      {"arith.mulf", [](const double *x) { return x[0] * x[1]; }},
      {"arith.divf", [](const double *x) { return x[0] / x[1]; }},
      {"arith.remf", [](const double *x) { return std::fmod(x[0], x[1]); }},
      {"arith.negf", [](const double *x) { return -x[0]; }},
      {"arith.maximumf", [](const double *x) { return maximum(x[0], x[1]); }},
      {"arith.minimumf", [](const double *x) { return minimum(x[0], x[1]); }},
      {"arith.maxnumf", [](const double *x) { return std::fmax(x[0], x[1]); }},
      {"arith.minnumf", [](const double *x) { return std::fmin(x[0], x[1]); }},
      {"arith.select", [](const double *x) { return x[0] != 0 ? x[1] : x[2]; }},
      {"arith.truncf", [](const double *x) { return x[0]; }},
      {"arith.extf", [](const double *x) { return x[0]; }},
      {"attn.stop", [](const double *x) { return x[0]; }},
      {"math.absf", [](const double *x) { return std::fabs(x[0]); }},
      {"math.acos", [](const double *x) { return std::acos(x[0]); }},
      {"math.acosh", [](const double *x) { return std::acosh(x[0]); }},
      {"math.asin", [](const double *x) { return std::asin(x[0]); }},
      {"math.asinh", [](const double *x) { return std::asinh(x[0]); }},
      {"math.atan", [](const double *x) { return std::atan(x[0]); }},
      {"math.atan2", [](const double *x) { return std::atan2(x[0], x[1]); }},
      {"math.atanh", [](const double *x) { return std::atanh(x[0]); }},
      {"math.cbrt", [](const double *x) { return std::cbrt(x[0]); }},
      {"math.ceil", [](const double *x) { return std::ceil(x[0]); }},
      {"math.clampf", [](const double *x) { return maximum(minimum(x[0], x[2]), x[1]); }},
      {"math.copysign", [](const double *x) { return std::copysign(x[0], x[1]); }},
      {"math.cos", [](const double *x) { return std::cos(x[0]); }},
      {"math.cosh", [](const double *x) { return std::cosh(x[0]); }},
      {"math.erf", [](const double *x) { return std::erf(x[0]); }},
      {"math.erfc", [](const double *x) { return std::erfc(x[0]); }},
      {"math.exp", [](const double *x) { return std::exp(x[0]); }},
      {"math.exp2", [](const double *x) { return std::exp2(x[0]); }},
      {"math.expm1", [](const double *x) { return std::expm1(x[0]); }},
      {"math.floor", [](const double *x) { return std::floor(x[0]); }},
      {"math.fma", [](const double *x) { return x[0] * x[1] + x[2]; }},
      {"math.fpowi", [](const double *x) { return std::pow(x[0], x[1]); }},
      {"math.isfinite", [](const double *x) { return double(std::isfinite(x[0])); }},
      {"math.isinf", [](const double *x) { return double(std::isinf(x[0])); }},
      {"math.isnan", [](const double *x) { return double(std::isnan(x[0])); }},
      {"math.log", [](const double *x) { return std::log(x[0]); }},
      {"math.log10", [](const double *x) { return std::log10(x[0]); }},
      {"math.log1p", [](const double *x) { return std::log1p(x[0]); }},
      {"math.log2", [](const double *x) { return std::log2(x[0]); }},
      {"math.powf", [](const double *x) { return std::pow(x[0], x[1]); }},
      {"math.round", [](const double *x) { return std::round(x[0]); }},
      {"math.roundeven", [](const double *x) { return std::nearbyint(x[0]); }},
      {"math.rsqrt", [](const double *x) { return 1 / std::sqrt(x[0]); }},
      {"math.sin", [](const double *x) { return std::sin(x[0]); }},
      {"math.sinh", [](const double *x) { return std::sinh(x[0]); }},
      {"math.sqrt", [](const double *x) { return std::sqrt(x[0]); }},
      {"math.tan", [](const double *x) { return std::tan(x[0]); }},
      {"math.tanh", [](const double *x) { return std::tanh(x[0]); }},
      {"math.trunc", [](const double *x) { return std::trunc(x[0]); }},
  };
  return table;
}

/// The low `width` bits of `value`, as a signed number; an i1 as 0 or 1.
static int64_t wrapped(int64_t value, unsigned width) {
  if (width == 1)
    return value & 1;
  return width == 32 ? static_cast<int32_t>(value) : value;
}

/// An integer operand: signed if `sign`, so that an i1 of 1 is -1; otherwise unsigned.
static int64_t readInteger(double value, unsigned width, bool sign) {
  auto number = static_cast<int64_t>(value);
  if (width == 1)
    return sign ? -number : number;
  return width == 32 && !sign ? static_cast<int64_t>(static_cast<uint32_t>(number)) : number;
}

static int64_t floorDivide(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }
static int64_t ceilDivide(int64_t a, int64_t b) { return a / b + (a % b != 0 && (a < 0) == (b < 0)); }

/// a^b; a negative power is 0 unless a is 1 or -1.
static int64_t power(int64_t a, int64_t b) {
  if (b < 0)
    return a == 1 ? 1 : a == -1 ? (b % 2 ? -1 : 1) : 0;
  uint64_t result = 1, square = static_cast<uint64_t>(a);
  for (; b > 0; b >>= 1, square *= square)
    if (b & 1)
      result *= square;
  return static_cast<int64_t>(result);
}

struct IntegerFunction {
  int64_t (*compute)(int64_t, int64_t);
  bool sign = true;
  bool divides = false; ///< undefined if the second operand is zero
};

static const llvm::StringMap<IntegerFunction> &integerFunctions() {
  using I = int64_t;
  using U = uint64_t;
  static const llvm::StringMap<IntegerFunction> table = {
      {"arith.addi", {[](I a, I b) { return I(U(a) + U(b)); }}},
      {"arith.subi", {[](I a, I b) { return I(U(a) - U(b)); }}},
      {"arith.muli", {[](I a, I b) { return I(U(a) * U(b)); }}},
      {"arith.divsi", {[](I a, I b) { return a / b; }, true, true}},
      {"arith.remsi", {[](I a, I b) { return a % b; }, true, true}},
      {"arith.floordivsi", {floorDivide, true, true}},
      {"arith.ceildivsi", {ceilDivide, true, true}},
      {"arith.divui", {[](I a, I b) { return I(U(a) / U(b)); }, false, true}},
      {"arith.remui", {[](I a, I b) { return I(U(a) % U(b)); }, false, true}},
      {"arith.ceildivui", {[](I a, I b) { return I(U(a) / U(b) + (U(a) % U(b) != 0)); }, false, true}},
      {"arith.andi", {[](I a, I b) { return a & b; }}},
      {"arith.ori", {[](I a, I b) { return a | b; }}},
      {"arith.xori", {[](I a, I b) { return a ^ b; }}},
      {"arith.shli", {[](I a, I b) { return b < 64 ? I(U(a) << b) : 0; }, false}},
      {"arith.shrsi", {[](I a, I b) { return a >> (b < 63 ? b : 63); }}},
      {"arith.shrui", {[](I a, I b) { return b < 64 ? I(U(a) >> b) : 0; }, false}},
      {"arith.maxsi", {[](I a, I b) { return a > b ? a : b; }}},
      {"arith.minsi", {[](I a, I b) { return a < b ? a : b; }}},
      {"arith.maxui", {[](I a, I b) { return U(a) > U(b) ? a : b; }, false}},
      {"arith.minui", {[](I a, I b) { return U(a) < U(b) ? a : b; }, false}},
      {"math.ipowi", {power}},
      {"math.absi", {[](I a, I) { return a < 0 ? -a : a; }}},
      // Conversions read the operand as signed or unsigned and wrap it to the result's width.
      {"arith.extsi", {[](I a, I) { return a; }}},
      {"arith.extui", {[](I a, I) { return a; }, false}},
      {"arith.trunci", {[](I a, I) { return a; }}},
      {"arith.index_cast", {[](I a, I) { return a; }}},
      {"arith.index_castui", {[](I a, I) { return a; }, false}},
  };
  return table;
}

static unsigned widthOf(Type type) {
  type = getElementTypeOrSelf(type);
  return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
}

static ScalarFunction integerScalar(Operation *op, const IntegerFunction &function) {
  unsigned from = widthOf(op->getOperand(0).getType()), to = widthOf(op->getResult(0).getType());
  bool binary = op->getNumOperands() == 2;
  return [=](const double *x) {
    int64_t a = readInteger(x[0], from, function.sign), b = binary ? readInteger(x[1], from, function.sign) : 0;
    if (function.divides && b == 0)
      return quietNaN;
    return static_cast<double>(wrapped(function.compute(a, b), to));
  };
}

static bool compareIntegers(arith::CmpIPredicate predicate, int64_t a, int64_t b) {
  using P = arith::CmpIPredicate;
  switch (predicate) {
  case P::eq:
    return a == b;
  case P::ne:
    return a != b;
  case P::slt:
    return a < b;
  case P::sle:
    return a <= b;
  case P::sgt:
    return a > b;
  case P::sge:
    return a >= b;
  case P::ult:
    return uint64_t(a) < uint64_t(b);
  case P::ule:
    return uint64_t(a) <= uint64_t(b);
  case P::ugt:
    return uint64_t(a) > uint64_t(b);
  case P::uge:
    return uint64_t(a) >= uint64_t(b);
  }
  llvm_unreachable("a predicate of cmpi");
}

static bool compareFloats(arith::CmpFPredicate predicate, double a, double b) {
  using P = arith::CmpFPredicate;
  bool unordered = std::isnan(a) || std::isnan(b);
  switch (predicate) {
  case P::AlwaysFalse:
    return false;
  case P::AlwaysTrue:
    return true;
  case P::ORD:
    return !unordered;
  case P::UNO:
    return unordered;
  case P::OEQ:
    return a == b;
  case P::OGT:
    return a > b;
  case P::OGE:
    return a >= b;
  case P::OLT:
    return a < b;
  case P::OLE:
    return a <= b;
  case P::ONE:
    return !unordered && a != b;
  case P::UEQ:
    return unordered || a == b;
  case P::UGT:
    return unordered || a > b;
  case P::UGE:
    return unordered || a >= b;
  case P::ULT:
    return unordered || a < b;
  case P::ULE:
    return unordered || a <= b;
  case P::UNE:
    return unordered || a != b;
  }
  llvm_unreachable("a predicate of cmpf");
}

/// Converts a float to an integer of `width` bits, rounded towards zero and saturated; NaN becomes 0.
static double toInteger(double value, unsigned width) {
  if (std::isnan(value))
    return 0;
  double limit = std::ldexp(1.0, width - 1);
  return std::trunc(std::fmin(std::fmax(value, -limit), limit - 1));
}

/// Word `number` of Philox4x32-10, its 24 highest bits as a fraction (dialects/Attn/AttnOps.td, attn.uniform).
static double uniform(std::array<uint32_t, 2> key, std::array<uint32_t, 4> counter, unsigned number) {
  for (int round = 0; round < 10; ++round) {
    uint64_t even = uint64_t(0xD2511F53) * counter[0], odd = uint64_t(0xCD9E8D57) * counter[2];
    counter = {uint32_t(odd >> 32) ^ counter[1] ^ key[0], uint32_t(odd), uint32_t(even >> 32) ^ counter[3] ^ key[1],
               uint32_t(even)};
    key = {key[0] + 0x9E3779B9, key[1] + 0xBB67AE85};
  }
  return std::ldexp(static_cast<double>(counter[number] >> 8), -24);
}

ScalarFunction attnc::reference::scalarFunction(Operation *op) {
  StringRef name = op->getName().getStringRef();
  if (auto function = floatFunctions().lookup(name))
    return function;
  if (auto found = integerFunctions().find(name); found != integerFunctions().end())
    return integerScalar(op, found->second);
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    auto predicate = compare.getPredicate();
    bool sign = predicate < arith::CmpIPredicate::ult;
    unsigned width = widthOf(compare.getLhs().getType());
    return [=](const double *x) {
      return double(compareIntegers(predicate, readInteger(x[0], width, sign), readInteger(x[1], width, sign)));
    };
  }
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    return
        [predicate = compare.getPredicate()](const double *x) { return double(compareFloats(predicate, x[0], x[1])); };
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op)) {
    unsigned width = widthOf(op->getOperand(0).getType());
    return [=, sign = isa<arith::SIToFPOp>(op)](const double *x) { return double(readInteger(x[0], width, sign)); };
  }
  if (auto draw = dyn_cast<attn::UniformOp>(op))
    return [site = draw.getSite()](const double *x) {
      auto word = [](double value) { return static_cast<uint32_t>(static_cast<int64_t>(value)); };
      return uniform({word(x[0]), site}, {word(x[4]) / 4, word(x[3]), word(x[1]), word(x[2])}, word(x[4]) % 4);
    };
  if (isa<arith::FPToSIOp>(op))
    return [width = widthOf(op->getResult(0).getType())](const double *x) { return toInteger(x[0], width); };
  return {};
}

Accuracy attnc::reference::accuracyOf(Operation *op) {
  if (isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, math::FmaOp, arith::SIToFPOp, arith::UIToFPOp>(op))
    return Accuracy::Rounded;
  if (isa<arith::NegFOp, arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp, arith::SelectOp,
          arith::TruncFOp, arith::ExtFOp, attn::StopOp, attn::UniformOp>(op) ||
      isa<math::AbsFOp, math::CeilOp, math::ClampFOp, math::CopySignOp, math::FloorOp, math::RoundOp, math::RoundEvenOp,
          math::TruncOp>(op))
    return Accuracy::Exact;
  return Accuracy::Near;
}

/// The value that the body of a linalg.generic yields for a result tensor; null for other tensors.
static Value yieldedFor(Value tensor) {
  auto result = dyn_cast<OpResult>(tensor);
  auto producer = result ? dyn_cast<linalg::GenericOp>(result.getOwner()) : nullptr;
  return producer ? producer.getBody()->getTerminator()->getOperand(result.getResultNumber()) : Value();
}

/// True if the number is a rounded result of arithmetic, rather than an input element, a loop-carried value or a
/// converted index. A result of a chain of more than `depth` ops counts as computed.
static bool isComputed(Value value, int depth = 8) {
  if (!value || !isa<FloatType>(value.getType()))
    return false;
  if (depth == 0)
    return true;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto generic = dyn_cast<linalg::GenericOp>(argument.getOwner()->getParentOp());
    bool isInput = generic && argument.getArgNumber() < generic.getNumDpsInputs();
    return isInput && isComputed(yieldedFor(generic.getDpsInputs()[argument.getArgNumber()]), depth - 1);
  }
  Operation *op = value.getDefiningOp();
  if (auto extract = dyn_cast<tensor::ExtractOp>(op))
    return isComputed(yieldedFor(extract.getTensor()), depth - 1);
  if (isa<arith::ConstantOp, arith::SIToFPOp, arith::UIToFPOp>(op))
    return false;
  auto operandIsComputed = [&](Value operand) { return isComputed(operand, depth - 1); };
  return accuracyOf(op) != Accuracy::Exact || llvm::any_of(op->getOperands(), operandIsComputed);
}

bool attnc::reference::addsComputedNumbers(Operation *op) {
  return isa<arith::AddFOp, arith::SubFOp>(op) && op->getOperand(0) != op->getOperand(1) &&
         isComputed(op->getOperand(0)) && isComputed(op->getOperand(1));
}
