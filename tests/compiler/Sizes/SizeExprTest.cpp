#include "compiler/Sizes/SizeExpr.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Matchers.h"
#include <gtest/gtest.h>
#include <limits>
#include <rapidcheck.h>

using attnc::SizeExpr;

namespace {

constexpr int64_t largest = std::numeric_limits<int64_t>::max();
const SizeExpr batch = SizeExpr::symbol(0), seq = SizeExpr::symbol(1);
const std::vector<std::string> names = {"batch", "seq"};

/// Computes index arithmetic on constants, which folds while it is built.
struct Folded {
  int64_t value;
  bool overflow;
};

Folded fold(const SizeExpr &expr, std::vector<int64_t> values, bool checked) {
  mlir::MLIRContext context;
  context.loadDialect<mlir::arith::ArithDialect, mlir::func::FuncDialect>();
  mlir::OpBuilder builder(&context);
  mlir::Location location = builder.getUnknownLoc();
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(location);
  builder.setInsertionPointToEnd(module->getBody());
  std::vector<mlir::Value> arguments;
  for (int64_t value : values)
    arguments.push_back(mlir::arith::ConstantIndexOp::create(builder, location, value));
  mlir::Value overflow = mlir::arith::ConstantIntOp::create(builder, location, 0, 1);
  mlir::Value result = checked ? expr.materialiseChecked(builder, location, arguments, overflow)
                               : expr.materialise(builder, location, arguments);
  // Folds values in order, so that operands come first.
  for (mlir::Operation &op : llvm::make_early_inc_range(*module->getBody())) {
    llvm::SmallVector<mlir::Value> folded;
    if (op.hasTrait<mlir::OpTrait::ConstantLike>() || failed(builder.tryFold(&op, folded)))
      continue;
    for (auto [from, to] : llvm::zip(op.getResults(), folded)) {
      if (from == result)
        result = to;
      if (from == overflow)
        overflow = to;
      from.replaceAllUsesWith(to);
      to.getDefiningOp()->moveBefore(&op);
    }
  }
  auto constant = [](mlir::Value value) {
    llvm::APInt number;
    EXPECT_TRUE(mlir::matchPattern(value, mlir::m_ConstantInt(&number)));
    return number;
  };
  return {constant(result).getSExtValue(), constant(overflow).getBoolValue()};
}

} // namespace

TEST(SizeExpr, EqualSizesCompareEqual) {
  EXPECT_EQ(SizeExpr(4) * batch * seq + 64, SizeExpr(64) + seq * 4 * batch);
  EXPECT_EQ((batch + 1) * (seq + 2), batch * seq + batch * 2 + seq + 2);
  EXPECT_EQ(batch - batch, SizeExpr());
  EXPECT_FALSE(batch * seq == batch);
}

TEST(SizeExpr, ReadsAsWritten) {
  EXPECT_EQ((SizeExpr(4) * batch * seq + 64).text(names), "4*batch*seq + 64");
  EXPECT_EQ(((seq + 1).ceilDiv(64) * batch).text(names), "batch*ceildiv(seq + 1, 64)");
  EXPECT_EQ(SizeExpr::max(batch, seq * 2).text(names), "max(batch, 2*seq)");
  EXPECT_EQ((seq + 15).floorDiv(16).text(names), "(seq + 15) / 16");
  EXPECT_EQ((seq.floorDiv(2) * batch * 3 + 1).text(names), "3*batch*(seq / 2) + 1");
  EXPECT_EQ((seq - 1).text(names), "seq - 1");
  EXPECT_EQ(SizeExpr::symbol(5).text(names), "s5");
  EXPECT_EQ(SizeExpr().text(names), "0");
}

TEST(SizeExpr, ParseReadsWhatTextWrites) {
  for (const SizeExpr &size : {SizeExpr(5) - SizeExpr::min(batch * 4, 4), (SizeExpr(64) - seq * 2).ceilDiv(64) + batch,
                               SizeExpr::max(batch, (seq + 1).floorDiv(3)) * seq - 7, SizeExpr()})
    EXPECT_EQ(SizeExpr::parse(size.text(names), names), size) << size.text(names);
}

TEST(SizeExpr, ParseEndsAtManyParentheses) {
  auto nested = [](size_t depth) { return std::string(depth, '(') + "batch" + std::string(depth, ')'); };
  EXPECT_EQ(SizeExpr::parse(nested(40), names), batch);
  EXPECT_EQ(SizeExpr::parse(nested(1'000'000), names), std::nullopt);
}

TEST(SizeExpr, DivisionsTakeOutWholeParts) {
  EXPECT_EQ((seq * 128 + batch).ceilDiv(64), seq * 2 + batch.ceilDiv(64));
  EXPECT_EQ((seq * 256).alignTo(64), seq * 256);
  EXPECT_EQ(seq.ceilDiv(4).ceilDiv(16), seq.ceilDiv(64));
  EXPECT_EQ((seq * 64 + 65).ceilDiv(64), seq + 2);
  EXPECT_EQ((seq * 64 + 65).floorDiv(64), seq + 1);
  EXPECT_EQ(SizeExpr(65).ceilDiv(64).constant(), 2);
  EXPECT_EQ(SizeExpr::max(seq * 64, batch * 128).alignTo(64).text(names), "64*max(2*batch, seq)");
}

TEST(SizeExpr, ExtremaDropWhatIsDominated) {
  EXPECT_EQ(SizeExpr::max(seq * 4 + 64, seq * 4), seq * 4 + 64);
  EXPECT_EQ(SizeExpr::min(seq * 4 + 64, seq * 4), seq * 4);
  EXPECT_EQ(SizeExpr::max(SizeExpr::max(batch, seq), seq + 1), SizeExpr::max(seq + 1, batch));
  EXPECT_EQ(SizeExpr::max(3, 5).constant(), 5);
}

TEST(SizeExpr, OrderOfProducts) {
  EXPECT_TRUE((SizeExpr(4) * batch * seq + 1).hasProductOf(0, 1));
  EXPECT_FALSE((batch * 4096 + seq).hasProductOf(0, 1));
  EXPECT_TRUE((seq * seq).hasProductOf(1, 1));
  EXPECT_FALSE(seq.hasProductOf(1, 1));
  EXPECT_TRUE((batch.ceilDiv(64) * seq).hasProductOf(0, 1));
  EXPECT_FALSE(SizeExpr::min(batch * seq, batch * 64).hasProductOf(0, 1));
  EXPECT_TRUE(SizeExpr::max(batch * seq, batch * 64 + 9).hasProductOf(0, 1));
  EXPECT_FALSE(((SizeExpr(1) - SizeExpr::min(1, batch.floorDiv(5))) * seq * 8).hasProductOf(0, 1));
  EXPECT_TRUE((SizeExpr::min(seq, batch) * seq).hasProductOf(0, 1));
}

TEST(SizeExpr, OverflowSaturates) {
  EXPECT_EQ((batch * seq).evaluate({largest, 2}), largest);
  EXPECT_EQ((batch + seq).evaluate({largest, largest}), largest);
  EXPECT_EQ((batch * seq * SizeExpr::symbol(2)).evaluate({largest, largest, 0}), 0);
}

TEST(SizeExpr, CheckedCodeNotesOverflow) {
  EXPECT_TRUE(fold(batch * seq, {int64_t(1) << 32, int64_t(1) << 32}, true).overflow);
  EXPECT_TRUE(fold(batch * seq, {int64_t(1) << 32, int64_t(1) << 31}, true).overflow);
  EXPECT_FALSE(fold(batch * seq, {int64_t(1) << 32, int64_t(1) << 30}, true).overflow);
  EXPECT_TRUE(fold(batch + seq, {largest, 1}, true).overflow);
  EXPECT_TRUE(fold(batch.ceilDiv(64), {largest}, true).overflow);
}

/// Random expressions: evaluation agrees with plain arithmetic; substitution and generated code agree with evaluation.
TEST(SizeExprProperties, AllFormsAgree) {
  auto outcome = rc::check([] {
    auto values = *rc::gen::container<std::vector<int64_t>>(3, rc::gen::inRange<int64_t>(0, 50));
    std::vector<std::pair<SizeExpr, int64_t>> pool;
    for (unsigned n = 0; n < 3; ++n)
      pool.emplace_back(SizeExpr::symbol(n), values[n]);
    int steps = *rc::gen::inRange(1, 7);
    for (int step = 0; step < steps; ++step) {
      auto [a, x] = *rc::gen::elementOf(pool);
      auto [b, y] = *rc::gen::elementOf(pool);
      int64_t number = *rc::gen::inRange<int64_t>(1, 20);
      switch (*rc::gen::inRange(0, 7)) {
      case 0:
        pool.emplace_back(a + b, x + y);
        break;
      case 1:
        pool.emplace_back(a * b, x * y);
        break;
      case 2:
        pool.emplace_back(a * number + 3, x * number + 3);
        break;
      case 3:
        pool.emplace_back(a.ceilDiv(number), (x + number - 1) / number);
        break;
      case 4:
        pool.emplace_back((a * 4 + b).floorDiv(number), (x * 4 + y) / number);
        break;
      case 5:
        pool.emplace_back(SizeExpr::max(a, b), std::max(x, y));
        break;
      case 6:
        pool.emplace_back(SizeExpr::min(a, b), std::min(x, y));
        break;
      }
    }
    auto [expr, value] = pool.back();
    RC_PRE(value < (int64_t(1) << 40));
    RC_ASSERT(expr.evaluate(values) == value);
    const std::vector<std::string> letters = {"a", "b", "c"};
    if (std::optional<SizeExpr> read = SizeExpr::parse(expr.text(letters), letters)) // null: too long
      RC_ASSERT(read->evaluate(values) == value);
    std::vector<SizeExpr> constants(values.begin(), values.end());
    RC_ASSERT(expr.substitute(constants) == SizeExpr(value));
    RC_ASSERT(fold(expr, values, false).value == value);
    Folded checked = fold(expr, values, true);
    RC_ASSERT(checked.value == value);
    RC_ASSERT(!checked.overflow);
  });
  EXPECT_TRUE(outcome);
}
