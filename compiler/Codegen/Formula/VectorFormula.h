//===- VectorFormula.h - arithmetic on vectors, written as arithmetic -----------------------------------------===//
//
// Operators on f32 and i32 values of one shape (a scalar or a vector) that emit `arith` and `math` ops:
//
//   VectorFormula f(builder, location, VectorType::get({16}, f32), hasVectorScale);
//   Real y = f.fma(f.value(x), f.real(2), f.real(1)) / f.absolute(f.value(x));      // (2x + 1) / |x|, in y.value
//
// Comparisons are ordered (false on NaN) unless their name says otherwise. `*` and `+` are not contracted: fma is spelt
// out.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"

namespace attnc {

class VectorFormula {
public:
  struct Real {
    VectorFormula *formula;
    mlir::Value value;
    Real operator+(Real o) const { return {formula, formula->make<mlir::arith::AddFOp>(value, o.value)}; }
    Real operator-(Real o) const { return {formula, formula->make<mlir::arith::SubFOp>(value, o.value)}; }
    Real operator*(Real o) const { return {formula, formula->make<mlir::arith::MulFOp>(value, o.value)}; }
    Real operator/(Real o) const { return {formula, formula->make<mlir::arith::DivFOp>(value, o.value)}; }
  };
  struct Whole {
    VectorFormula *formula;
    mlir::Value value;
    Whole operator+(Whole o) const { return {formula, formula->make<mlir::arith::AddIOp>(value, o.value)}; }
    Whole operator-(Whole o) const { return {formula, formula->make<mlir::arith::SubIOp>(value, o.value)}; }
    Whole shiftLeft(int by) const {
      return {formula, formula->make<mlir::arith::ShLIOp>(value, formula->whole(by).value)};
    }
    Whole shiftRight(int by) const {
      return {formula, formula->make<mlir::arith::ShRSIOp>(value, formula->whole(by).value)};
    }
  };
  struct Truth {
    mlir::Value value;
  };

  /// `type` is the type of reals: a float or a vector of floats.
  VectorFormula(mlir::OpBuilder &builder, mlir::Location location, mlir::Type type, bool hasVectorScale)
      : builder(builder), location(location), type(type), hasVectorScale(hasVectorScale) {}

  Real value(mlir::Value real) { return {this, real}; }
  Real real(double constant);
  Whole whole(int64_t constant);

  Real fma(Real a, Real b, Real c) { return {this, make<mlir::math::FmaOp>(a.value, b.value, c.value)}; }
  /// Horner's rule; coefficients from the highest power down.
  Real polynomial(Real x, llvm::ArrayRef<double> coefficients);
  Real roundEven(Real x) { return {this, make<mlir::math::RoundEvenOp>(x.value)}; }
  Real floor(Real x) { return {this, make<mlir::math::FloorOp>(x.value)}; }
  Real absolute(Real x) { return {this, make<mlir::math::AbsFOp>(x.value)}; }
  Real copySign(Real magnitude, Real sign) { return {this, make<mlir::math::CopySignOp>(magnitude.value, sign.value)}; }
  /// The lesser of the two; `b` where `a` is NaN.
  Real minimum(Real a, Real b) { return select(less(a, b), a, b); }
  Real maximum(Real a, Real b) { return select(greater(a, b), a, b); }
  /// The greater or the lesser of the two, NaN where one is; of two zeros either. The back end makes three
  /// instructions of it, of which two wait for `a`; spelt as comparisons and selections it would take four.
  Real extremumOrNan(Real a, Real b, bool greatest);
  /// Within [low, high]; `low` for NaN.
  Real clamp(Real x, double low, double high) { return minimum(maximum(x, real(low)), real(high)); }

  /// x 2^n, for any n that does not make the result denormal.
  Real scale(Real x, Whole n);
  Real powerOfTwo(Whole n) { return fromBits((n + whole(127)).shiftLeft(23)); } ///< -127 <= n <= 127; 0 for -127
  Whole toWhole(Real x) { return {this, make<mlir::arith::FPToSIOp>(wholeType(), x.value)}; }
  Real toReal(Whole n) { return {this, make<mlir::arith::SIToFPOp>(type, n.value)}; }
  Whole bits(Real x) { return {this, make<mlir::arith::BitcastOp>(wholeType(), x.value)}; }
  Real fromBits(Whole x) { return {this, make<mlir::arith::BitcastOp>(type, x.value)}; }

  Truth less(Real a, Real b) { return compare(mlir::arith::CmpFPredicate::OLT, a, b); }
  Truth greater(Real a, Real b) { return compare(mlir::arith::CmpFPredicate::OGT, a, b); }
  Truth greaterOrEqual(Real a, Real b) { return compare(mlir::arith::CmpFPredicate::OGE, a, b); }
  Truth notGreaterOrEqual(Real a, Real b) { return compare(mlir::arith::CmpFPredicate::ULT, a, b); }
  Truth notLessOrEqual(Real a, Real b) { return compare(mlir::arith::CmpFPredicate::UGT, a, b); }
  Truth equal(Real a, Real b) { return compare(mlir::arith::CmpFPredicate::OEQ, a, b); }
  Truth unordered(Real a) { return compare(mlir::arith::CmpFPredicate::UNO, a, a); }
  Truth anyBit(Whole x, int64_t mask);
  Truth either(Truth a, Truth b) { return {make<mlir::arith::OrIOp>(a.value, b.value)}; }
  Real select(Truth condition, Real a, Real b) {
    return {this, make<mlir::arith::SelectOp>(condition.value, a.value, b.value)};
  }

  /// A function of one element: its results, made by the builder that it is given.
  using OfElement = llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::OpBuilder &, mlir::Location, mlir::Value)>;
  /// `values`, but what `other` makes of an element of `x` in the lanes where `condition` holds. Lanes are computed one
  /// after another, all of them if the condition holds in one, behind a branch that LLVM takes for seldom taken.
  llvm::SmallVector<mlir::Value> replaceSeldom(Truth condition, mlir::ValueRange values, Real x, OfElement other);

  /// The same shape in f64, and values to and from it.
  VectorFormula inDouble();
  Real widen(Real x) { return {this, make<mlir::arith::ExtFOp>(inDouble().type, x.value)}; }
  Real narrow(Real x) { return {this, make<mlir::arith::TruncFOp>(type, x.value)}; }

private:
  template <typename Op, typename... Arguments> mlir::Value make(Arguments... arguments) {
    return builder.createOrFold<Op>(location, arguments...);
  }
  mlir::Type wholeType();
  llvm::SmallVector<mlir::Value> laneByLane(mlir::Value x, mlir::TypeRange results, OfElement one);
  Truth compare(mlir::arith::CmpFPredicate predicate, Real a, Real b) {
    return {make<mlir::arith::CmpFOp>(predicate, a.value, b.value)};
  }

  mlir::OpBuilder &builder;
  mlir::Location location;
  mlir::Type type;
  bool hasVectorScale;
};

} // namespace attnc
