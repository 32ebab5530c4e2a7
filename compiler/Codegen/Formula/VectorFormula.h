//===- VectorFormula.h - operators that emit vector arithmetic --------------------------------------------------===//
//
// Operators on f32 and i32 values of one shape (a scalar or a vector) that emit `arith` and `math` ops:
//
//   VectorFormula f(builder, location, VectorType::get({16}, f32), hasVectorScale);
//   Real y = f.fma(f.value(x), f.real(2), f.real(1)) / f.value(x).absolute();       // (2x + 1) / |x|, in y.value
//
// Comparisons are ordered (false on NaN) unless their name has `OrNan`. `*` and `+` are not contracted: fma is
// explicit.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"

namespace attnc {

/// Truth, Real and Whole are values of i1, f32 (or f64) and i32 of its shape.
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
    Truth anyBit(int64_t mask) const;
  };

  /// `type` is the type of reals: a float or a vector of floats. `hasVectorScale`: the target has an instruction for
  /// x 2^n (Isa::hasVectorScale).
  VectorFormula(mlir::OpBuilder &builder, mlir::Location location, mlir::Type type, bool hasVectorScale)
      : builder(builder), location(location), type(type), hasVectorScale(hasVectorScale) {}

  Real value(mlir::Value real) { return {this, real}; }
  Real real(double constant);
  Whole whole(int64_t constant);

  Real fma(Real a, Real b, Real c) { return {this, make<mlir::math::FmaOp>(a.value, b.value, c.value)}; }
  /// Horner's rule; coefficients from the highest power down.
  Real polynomial(Real x, llvm::ArrayRef<double> coefficients);
  Real copySign(Real magnitude, Real sign) { return {this, make<mlir::math::CopySignOp>(magnitude.value, sign.value)}; }
  /// The lesser of the two; `b` if `a` is NaN.
  Real minimum(Real a, Real b) { return select(a < b, a, b); }
  Real maximum(Real a, Real b) { return select(a > b, a, b); }
  /// The greater or the lesser of the two, NaN if one is; either of two zeros. The back end emits three instructions,
  /// two of which depend on `a`. Comparisons and selections would need four.
  Real extremumOrNan(Real a, Real b, bool greatest);
  /// Within [low, high]; `low` for NaN.
  Real clamp(Real x, double low, double high) { return minimum(maximum(x, real(low)), real(high)); }
  Real select(Truth condition, Real a, Real b) {
    return {this, make<mlir::arith::SelectOp>(condition.value, a.value, b.value)};
  }

  /// x 2^n, for any n that does not make the result denormal.
  Real scale(Real x, Whole n);
  Real powerOfTwo(Whole n) { return fromBits((n + whole(127)) << 23); } ///< -127 <= n <= 127; 0 for -127
  Whole toWhole(Real x) { return {this, make<mlir::arith::FPToSIOp>(wholeType(), x.value)}; }
  Real toReal(Whole n) { return {this, make<mlir::arith::SIToFPOp>(type, n.value)}; }
  Whole bits(Real x) { return {this, make<mlir::arith::BitcastOp>(wholeType(), x.value)}; }
  Real fromBits(Whole x) { return {this, make<mlir::arith::BitcastOp>(type, x.value)}; }

  /// Emits a function of one element; returns its results.
  using ElementFunction =
      llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::OpBuilder &, mlir::Location, mlir::Value)>;
  /// `values`, replaced by the results of `other` on the elements of `x` in the lanes where `condition` holds. If it
  /// holds in any lane, `other` is computed for all lanes, one after another, in a branch that is marked as unlikely.
  llvm::SmallVector<mlir::Value> replaceRare(Truth condition, mlir::ValueRange values, Real x, ElementFunction other);

  /// The same shape in f64, and values to and from it.
  VectorFormula inDouble();
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
  bool hasVectorScale;
};

} // namespace attnc
