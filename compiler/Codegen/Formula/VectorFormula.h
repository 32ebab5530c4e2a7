//===- VectorFormula.h - operators that emit floating-point arithmetic --------------------------------------------===//
//
// C++ operators on f32 and i32 values (or f64 and i64) of one shape, a scalar or a vector. Each operator emits an op of
// `arith` or `math` at the builder's insertion point. The expansions of mathematical functions (VectorMath.h) are
// written with them:
//
//   VectorFormula f(builder, location, VectorType::get({16}, f32), isa.lanes);
//   Real y = f.fma(f.value(x), f.real(2), f.real(1)) / f.value(x).absolute();       // (2x + 1) / |x|, in y.value
//
// Comparisons are ordered (false if an operand is NaN), except isNan() and those with `OrNan` in their name. `*` and
// `+` have no fast-math flags, so an fma is emitted only where the code calls fma().
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Target/Isa.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"

namespace attnc {

/// Truth, Real and Whole are values in generated code, of the formula's shape: i1; f32 or f64; and signed integers of
/// the same width as the reals. They point to their formula, which must outlive them.
class VectorFormula {
public:
  struct Truth {
    VectorFormula *formula;
    mlir::Value value;
    Truth operator|(Truth o) const { return {formula, formula->make<mlir::arith::OrIOp>(value, o.value)}; }
  };
  struct Real {
    VectorFormula *formula;
    mlir::Value value;
    Real operator+(Real o) const { return {formula, formula->make<mlir::arith::AddFOp>(value, o.value)}; }
    Real operator-(Real o) const { return {formula, formula->make<mlir::arith::SubFOp>(value, o.value)}; }
    Real operator*(Real o) const { return {formula, formula->make<mlir::arith::MulFOp>(value, o.value)}; }
    Real operator/(Real o) const { return {formula, formula->make<mlir::arith::DivFOp>(value, o.value)}; }
    Truth operator<(Real o) const { return compare(mlir::arith::CmpFPredicate::OLT, o); }
    Truth operator>(Real o) const { return compare(mlir::arith::CmpFPredicate::OGT, o); }
    Truth operator>=(Real o) const { return compare(mlir::arith::CmpFPredicate::OGE, o); }
    Truth operator==(Real o) const { return compare(mlir::arith::CmpFPredicate::OEQ, o); }
    Truth isBelowOrNan(Real o) const { return compare(mlir::arith::CmpFPredicate::ULT, o); }
    Truth isAboveOrNan(Real o) const { return compare(mlir::arith::CmpFPredicate::UGT, o); }
    Truth isNan() const { return compare(mlir::arith::CmpFPredicate::UNO, *this); }
    Real roundEven() const { return {formula, formula->make<mlir::math::RoundEvenOp>(value)}; }
    Real floor() const { return {formula, formula->make<mlir::math::FloorOp>(value)}; }
    Real absolute() const { return {formula, formula->make<mlir::math::AbsFOp>(value)}; }

  private:
    Truth compare(mlir::arith::CmpFPredicate predicate, Real o) const {
      return {formula, formula->make<mlir::arith::CmpFOp>(predicate, value, o.value)};
    }
  };
  struct Whole {
    VectorFormula *formula;
    mlir::Value value;
    Whole operator+(Whole o) const { return {formula, formula->make<mlir::arith::AddIOp>(value, o.value)}; }
    Whole operator-(Whole o) const { return {formula, formula->make<mlir::arith::SubIOp>(value, o.value)}; }
    Whole operator<<(int by) const {
      return {formula, formula->make<mlir::arith::ShLIOp>(value, formula->whole(by).value)};
    }
    Whole operator>>(int by) const {
      return {formula, formula->make<mlir::arith::ShRSIOp>(value, formula->whole(by).value)};
    }
    Truth anyBit(int64_t mask) const; ///< whether a bit of `mask` is set
  };

  /// `type` is the type of reals: f32, f64 or a vector of one of them. `instructions` are those of the target (Isa).
  VectorFormula(mlir::OpBuilder &builder, mlir::Location location, mlir::Type type, LaneInstructions instructions = {})
      : builder(builder), location(location), type(type), instructions(instructions) {}

  Real value(mlir::Value real) { return {this, real}; } ///< `real` must have the type of reals
  Real real(double constant);                           ///< a constant, in all lanes
  Whole whole(int64_t constant);                        ///< a constant, in all lanes

  Real fma(Real a, Real b, Real c) { return {this, make<mlir::math::FmaOp>(a.value, b.value, c.value)}; }
  /// The polynomial in x by Horner's rule with fma; coefficients from the highest power down, at least one.
  Real polynomial(Real x, llvm::ArrayRef<double> coefficients);
  Real copySign(Real magnitude, Real sign) { return {this, make<mlir::math::CopySignOp>(magnitude.value, sign.value)}; }
  /// The lesser of the two; `b` if either is NaN.
  Real minimum(Real a, Real b) { return select(a < b, a, b); }
  /// The greater of the two; `b` if either is NaN.
  Real maximum(Real a, Real b) { return select(a > b, a, b); }
  /// The greater (`greatest`) or the lesser of the two; NaN if either is NaN; of zeros of both signs, either one. The
  /// back end emits three instructions, two of which depend on `a`; comparisons and selections would need four.
  Real extremumOrNan(Real a, Real b, bool greatest);
  /// x limited to [low, high]; `low` if x is NaN.
  Real clamp(Real x, double low, double high) { return minimum(maximum(x, real(low)), real(high)); }
  Real select(Truth condition, Real a, Real b) {
    return {this, make<mlir::arith::SelectOp>(condition.value, a.value, b.value)};
  }

  /// x 2^n of f32, for -252 <= n <= 254 such that the result is not denormal.
  Real scale(Real x, Whole n);
  struct Split {
    Real exponent, significand;
  };
  /// x = significand 2^exponent of f32, with the significand in [1, 2) and a whole exponent, if the target has
  /// instructions for it. The exponent of 0 is -infinity, and that of infinity is infinity, with the significand 1; the
  /// significand of NaN and of negative numbers is NaN.
  std::optional<Split> split(Real x);
  Real powerOfTwo(Whole n) { return fromBits((n + whole(127)) << 23); } ///< f32; -127 <= n <= 127; 0 for n = -127
  /// Rounds towards zero; undefined if the result is not representable.
  Whole toWhole(Real x) { return {this, make<mlir::arith::FPToSIOp>(wholeType(), x.value)}; }
  Real toReal(Whole n) { return {this, make<mlir::arith::SIToFPOp>(type, n.value)}; }
  /// bits() and fromBits() reinterpret the bits of a number.
  Whole bits(Real x) { return {this, make<mlir::arith::BitcastOp>(wholeType(), x.value)}; }
  Real fromBits(Whole x) { return {this, make<mlir::arith::BitcastOp>(type, x.value)}; }

  /// Emits code for one element, a scalar, with this builder at this location; returns the scalar results.
  using ElementFunction =
      llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::OpBuilder &, mlir::Location, mlir::Value)>;
  /// Returns `values` (of the formula's shape), where in the lanes with `condition` the elements are replaced by the
  /// results of `other` on the elements of `x`; result n of `other` replaces values[n]. If `condition` holds in any
  /// lane, the code runs `other` for all lanes, one after another, in a branch that is marked as unlikely.
  llvm::SmallVector<mlir::Value> replaceRare(Truth condition, mlir::ValueRange values, Real x, ElementFunction other);

  /// A formula of the same shape in f64. Constants of f64 come from it.
  VectorFormula inDouble();
  /// Called on the f32 formula: from f32 to f64, and from f64 to f32.
  Real widen(Real x) { return {this, make<mlir::arith::ExtFOp>(inDouble().type, x.value)}; }
  Real narrow(Real x) { return {this, make<mlir::arith::TruncFOp>(type, x.value)}; }

private:
  template <typename Op, typename... Arguments> mlir::Value make(Arguments... arguments) {
    return builder.createOrFold<Op>(location, arguments...);
  }
  mlir::Type wholeType();
  llvm::SmallVector<mlir::Value> laneByLane(mlir::Value x, mlir::TypeRange results, ElementFunction one);

  mlir::OpBuilder &builder;
  mlir::Location location;
  mlir::Type type;
  LaneInstructions instructions;
};

} // namespace attnc
