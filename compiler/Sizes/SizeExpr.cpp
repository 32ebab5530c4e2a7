#include "compiler/Sizes/SizeExpr.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <compare>
#include <limits>
#include <optional>
#include <vector>

namespace attnc {

namespace {

constexpr int64_t largest = std::numeric_limits<int64_t>::max();

int64_t saturate(__int128 value) {
  if (value > largest)
    return largest;
  return value < -largest ? -largest : static_cast<int64_t>(value);
}

} // namespace

/// A sum of terms, sorted by their factors, without zero coefficients.
struct SizeExpr::Node {
  /// A factor other than a number: a symbol, or a division or extremum of polynomials.
  struct Atom {
    enum class Kind { Symbol, CeilDiv, FloorDiv, Max, Min };
    Kind kind = Kind::Symbol;
    int64_t number = 0;             ///< the number of the symbol, or the divisor
    std::vector<SizeExpr> operands; ///< sorted, for Max and Min
  };
  /// coefficient * factors[0] * factors[1] * ...; factors are sorted, a power is a repeated factor.
  struct Term {
    int64_t coefficient;
    std::vector<Atom> factors;
  };
  std::vector<Term> terms;
  int64_t length = 0; ///< see SizeExpr::length()

  static int64_t lengthOf(const std::vector<Term> &terms);
  static SizeExpr make(std::vector<Term> terms);
  static SizeExpr atom(Atom::Kind kind, int64_t number, std::vector<SizeExpr> operands);
  static const std::vector<Term> &termsOf(const SizeExpr &expr) { return expr.node->terms; }

  static std::strong_ordering compare(const Atom &a, const Atom &b);
  static std::strong_ordering compare(const std::vector<Atom> &a, const std::vector<Atom> &b);
  static std::strong_ordering compare(const SizeExpr &a, const SizeExpr &b);

  static SizeExpr divide(const SizeExpr &expr, int64_t divisor, Atom::Kind kind);
  static SizeExpr extremum(const SizeExpr &a, const SizeExpr &b, Atom::Kind kind);

  static int64_t evaluate(const Atom &atom, llvm::ArrayRef<int64_t> values);
  static SizeExpr substitute(const Atom &atom, llvm::ArrayRef<SizeExpr> values);
  static std::string text(const Atom &atom, llvm::ArrayRef<std::string> names);
  static bool mentions(const Atom &atom, unsigned symbol);
  static bool growsWith(const Atom &atom, unsigned symbol);
  static bool hasProductOf(const Atom &atom, unsigned a, unsigned b);
  static bool hasProductOf(const Term &term, unsigned a, unsigned b);

  struct Materialiser;
};

//===------------------------------------------------------------------------------------------------------------===//
// Normal form
//===------------------------------------------------------------------------------------------------------------===//

std::strong_ordering SizeExpr::Node::compare(const Atom &a, const Atom &b) {
  if (auto order = a.kind <=> b.kind; order != 0)
    return order;
  if (auto order = a.number <=> b.number; order != 0)
    return order;
  if (auto order = a.operands.size() <=> b.operands.size(); order != 0)
    return order;
  for (auto [left, right] : llvm::zip_equal(a.operands, b.operands))
    if (auto order = compare(left, right); order != 0)
      return order;
  return std::strong_ordering::equal;
}

/// Order by descending degree, so that constants come last.
std::strong_ordering SizeExpr::Node::compare(const std::vector<Atom> &a, const std::vector<Atom> &b) {
  if (auto order = b.size() <=> a.size(); order != 0)
    return order;
  for (auto [left, right] : llvm::zip_equal(a, b))
    if (auto order = compare(left, right); order != 0)
      return order;
  return std::strong_ordering::equal;
}

std::strong_ordering SizeExpr::Node::compare(const SizeExpr &a, const SizeExpr &b) {
  const auto &left = termsOf(a), &right = termsOf(b);
  if (auto order = left.size() <=> right.size(); order != 0)
    return order;
  for (auto [x, y] : llvm::zip_equal(left, right)) {
    if (auto order = compare(x.factors, y.factors); order != 0)
      return order;
    if (auto order = x.coefficient <=> y.coefficient; order != 0)
      return order;
  }
  return std::strong_ordering::equal;
}

SizeExpr SizeExpr::Node::make(std::vector<Term> terms) {
  llvm::sort(terms, [](const Term &a, const Term &b) { return compare(a.factors, b.factors) < 0; });
  std::vector<Term> merged;
  for (Term &term : terms) {
    if (!merged.empty() && compare(merged.back().factors, term.factors) == 0)
      merged.back().coefficient = saturate(__int128(merged.back().coefficient) + term.coefficient);
    else
      merged.push_back(std::move(term));
  }
  llvm::erase_if(merged, [](const Term &term) { return term.coefficient == 0; });
  int64_t length = lengthOf(merged);
  return SizeExpr(std::make_shared<const Node>(Node{std::move(merged), length}));
}

int64_t SizeExpr::Node::lengthOf(const std::vector<Term> &terms) {
  __int128 length = 0;
  for (const Term &term : terms) {
    length += 1 + __int128(term.factors.size());
    for (const Atom &factor : term.factors)
      for (const SizeExpr &operand : factor.operands)
        length += operand.length();
  }
  return saturate(length);
}

int64_t SizeExpr::length() const { return node->length; }

std::optional<SizeExpr> SizeExpr::checkedProduct(const SizeExpr &a, const SizeExpr &b) {
  return __int128(a.length()) * b.length() > maxLength ? std::nullopt : std::optional(a * b);
}

SizeExpr SizeExpr::Node::atom(Atom::Kind kind, int64_t number, std::vector<SizeExpr> operands) {
  return make({Term{1, {Atom{kind, number, std::move(operands)}}}});
}

SizeExpr::SizeExpr(int64_t constant) : node(Node::make({{constant, {}}}).node) {}

SizeExpr SizeExpr::symbol(unsigned number) { return Node::atom(Node::Atom::Kind::Symbol, number, {}); }

SizeExpr SizeExpr::operator+(const SizeExpr &other) const {
  std::vector<Node::Term> terms = node->terms;
  llvm::append_range(terms, other.node->terms);
  return Node::make(std::move(terms));
}

SizeExpr SizeExpr::operator-(const SizeExpr &other) const { return *this + other * SizeExpr(-1); }

SizeExpr SizeExpr::operator*(const SizeExpr &other) const {
  std::vector<Node::Term> terms;
  for (const Node::Term &a : node->terms)
    for (const Node::Term &b : other.node->terms) {
      Node::Term product{saturate(__int128(a.coefficient) * b.coefficient), a.factors};
      llvm::append_range(product.factors, b.factors);
      llvm::sort(product.factors, [](const auto &x, const auto &y) { return Node::compare(x, y) < 0; });
      terms.push_back(std::move(product));
    }
  return Node::make(std::move(terms));
}

bool SizeExpr::operator==(const SizeExpr &other) const { return Node::compare(*this, other) == 0; }

bool SizeExpr::isConstant() const {
  return node->terms.empty() || (node->terms.size() == 1 && node->terms.front().factors.empty());
}

int64_t SizeExpr::constant() const { return node->terms.empty() ? 0 : node->terms.front().coefficient; }

bool SizeExpr::isAtLeast(const SizeExpr &other) const {
  return llvm::all_of(Node::termsOf(*this - other), [](const Node::Term &term) { return term.coefficient >= 0; });
}

//===------------------------------------------------------------------------------------------------------------===//
// Divisions and extrema
//===------------------------------------------------------------------------------------------------------------===//

SizeExpr SizeExpr::Node::divide(const SizeExpr &expr, int64_t divisor, Atom::Kind kind) {
  if (divisor == 1)
    return expr;
  // (divisor * P + Q) / divisor = P + Q / divisor if Q is not negative; the division of a negative Q truncates.
  bool split = llvm::all_of(termsOf(expr), [](const Term &term) { return term.coefficient >= 0; });
  std::vector<Term> whole, rest;
  for (const Term &term : termsOf(expr)) {
    if (term.coefficient % divisor == 0 && (split || termsOf(expr).size() == 1))
      whole.push_back({term.coefficient / divisor, term.factors});
    else if (term.factors.empty() && split) {
      whole.push_back({term.coefficient / divisor, {}});
      rest.push_back({term.coefficient % divisor, {}});
    } else
      rest.push_back(term);
  }
  SizeExpr quotient = make(std::move(whole)), remainder = make(std::move(rest));
  if (remainder.isConstant()) {
    int64_t value = remainder.constant();
    return quotient + SizeExpr(kind == Atom::Kind::CeilDiv ? (value + divisor - 1) / divisor : value / divisor);
  }
  const auto &terms = termsOf(remainder);
  if (terms.size() != 1 || terms[0].coefficient != 1 || terms[0].factors.size() != 1)
    return quotient + atom(kind, divisor, {remainder});
  const Atom &only = terms[0].factors[0];
  if (only.kind == kind && only.number <= largest / divisor)
    return quotient + divide(only.operands[0], only.number * divisor, kind);
  if (only.kind != Atom::Kind::Max && only.kind != Atom::Kind::Min)
    return quotient + atom(kind, divisor, {remainder});
  // Division is monotonic, so it distributes over the operands of an extremum.
  SizeExpr result = divide(only.operands.front(), divisor, kind);
  for (const SizeExpr &operand : llvm::drop_begin(only.operands))
    result = extremum(result, divide(operand, divisor, kind), only.kind);
  return quotient + result;
}

SizeExpr SizeExpr::ceilDiv(int64_t divisor) const { return Node::divide(*this, divisor, Node::Atom::Kind::CeilDiv); }
SizeExpr SizeExpr::floorDiv(int64_t divisor) const { return Node::divide(*this, divisor, Node::Atom::Kind::FloorDiv); }

SizeExpr SizeExpr::Node::extremum(const SizeExpr &a, const SizeExpr &b, Atom::Kind kind) {
  std::vector<SizeExpr> candidates;
  for (const SizeExpr *side : {&a, &b}) {
    const auto &terms = termsOf(*side);
    if (terms.size() == 1 && terms[0].coefficient == 1 && terms[0].factors.size() == 1 &&
        terms[0].factors[0].kind == kind)
      llvm::append_range(candidates, terms[0].factors[0].operands);
    else
      candidates.push_back(*side);
  }
  std::vector<SizeExpr> kept;
  auto beats = [&](const SizeExpr &x, const SizeExpr &y) {
    return kind == Atom::Kind::Max ? x.isAtLeast(y) : y.isAtLeast(x);
  };
  for (const SizeExpr &candidate : candidates) {
    if (llvm::any_of(kept, [&](const SizeExpr &other) { return beats(other, candidate); }))
      continue;
    llvm::erase_if(kept, [&](const SizeExpr &other) { return beats(candidate, other); });
    kept.push_back(candidate);
  }
  if (kept.size() == 1)
    return kept.front();
  llvm::sort(kept, [](const SizeExpr &x, const SizeExpr &y) { return compare(x, y) < 0; });
  return atom(kind, 0, std::move(kept));
}

SizeExpr SizeExpr::max(const SizeExpr &a, const SizeExpr &b) { return Node::extremum(a, b, Node::Atom::Kind::Max); }
SizeExpr SizeExpr::min(const SizeExpr &a, const SizeExpr &b) { return Node::extremum(a, b, Node::Atom::Kind::Min); }

//===------------------------------------------------------------------------------------------------------------===//
// Use
//===------------------------------------------------------------------------------------------------------------===//

int64_t SizeExpr::Node::evaluate(const Atom &atom, llvm::ArrayRef<int64_t> values) {
  if (atom.kind == Atom::Kind::Symbol)
    return values[atom.number];
  int64_t first = atom.operands.front().evaluate(values);
  switch (atom.kind) {
  case Atom::Kind::CeilDiv:
    return first / atom.number + (first % atom.number != 0);
  case Atom::Kind::FloorDiv:
    return first / atom.number;
  default:
    break;
  }
  for (const SizeExpr &operand : llvm::drop_begin(atom.operands)) {
    int64_t value = operand.evaluate(values);
    first = atom.kind == Atom::Kind::Max ? std::max(first, value) : std::min(first, value);
  }
  return first;
}

int64_t SizeExpr::evaluate(llvm::ArrayRef<int64_t> values) const {
  __int128 sum = 0;
  for (const Node::Term &term : node->terms) {
    int64_t product = term.coefficient;
    for (const Node::Atom &factor : term.factors)
      product = saturate(__int128(product) * Node::evaluate(factor, values));
    sum += product;
  }
  return saturate(sum);
}

SizeExpr SizeExpr::Node::substitute(const Atom &atom, llvm::ArrayRef<SizeExpr> values) {
  if (atom.kind == Atom::Kind::Symbol)
    return values[atom.number];
  SizeExpr result = atom.operands.front().substitute(values);
  if (atom.kind == Atom::Kind::CeilDiv || atom.kind == Atom::Kind::FloorDiv)
    return divide(result, atom.number, atom.kind);
  for (const SizeExpr &operand : llvm::drop_begin(atom.operands))
    result = extremum(result, operand.substitute(values), atom.kind);
  return result;
}

SizeExpr SizeExpr::substitute(llvm::ArrayRef<SizeExpr> values) const {
  SizeExpr sum;
  for (const Node::Term &term : node->terms) {
    SizeExpr product(term.coefficient);
    for (const Node::Atom &factor : term.factors)
      product *= Node::substitute(factor, values);
    sum += product;
  }
  return sum;
}

std::string SizeExpr::Node::text(const Atom &atom, llvm::ArrayRef<std::string> names) {
  if (atom.kind == Atom::Kind::Symbol)
    return size_t(atom.number) < names.size() ? names[atom.number] : "s" + std::to_string(atom.number);
  if (atom.kind == Atom::Kind::FloorDiv) {
    std::string dividend = atom.operands.front().text(names), divisor = " / " + std::to_string(atom.number);
    return (termsOf(atom.operands.front()).size() > 1 ? "(" + dividend + ")" : dividend) + divisor;
  }
  static constexpr const char *functions[] = {"", "ceildiv", "", "max", "min"};
  std::string result = functions[static_cast<int>(atom.kind)];
  for (auto [position, operand] : llvm::enumerate(atom.operands))
    result += (position ? ", " : "(") + operand.text(names);
  return result + (atom.number ? ", " + std::to_string(atom.number) + ")" : ")");
}

std::string SizeExpr::text(llvm::ArrayRef<std::string> names) const {
  if (node->terms.empty())
    return "0";
  std::string result;
  for (const Node::Term &term : node->terms) {
    bool negative = term.coefficient < 0;
    result += result.empty() ? (negative ? "-" : "") : (negative ? " - " : " + ");
    int64_t magnitude = negative ? -term.coefficient : term.coefficient;
    bool showNumber = magnitude != 1 || term.factors.empty();
    if (showNumber)
      result += std::to_string(magnitude);
    bool isAlone = !showNumber && term.factors.size() == 1;
    for (auto [position, factor] : llvm::enumerate(term.factors)) {
      std::string text = Node::text(factor, names);
      bool isOperand = factor.kind == Node::Atom::Kind::FloorDiv && !isAlone;
      result += (position || showNumber ? "*" : "") + (isOperand ? "(" + text + ")" : text);
    }
  }
  return result;
}

bool SizeExpr::Node::mentions(const Atom &atom, unsigned symbol) {
  if (atom.kind == Atom::Kind::Symbol)
    return atom.number == symbol;
  return llvm::any_of(atom.operands, [&](const SizeExpr &operand) { return operand.mentions(symbol); });
}

bool SizeExpr::mentions(unsigned symbol) const {
  return llvm::any_of(node->terms, [&](const Node::Term &term) {
    return llvm::any_of(term.factors, [&](const Node::Atom &factor) { return Node::mentions(factor, symbol); });
  });
}

std::optional<std::vector<SizeExpr::Product>> SizeExpr::products(bool quotients) const {
  std::vector<Product> result;
  for (const Node::Term &term : node->terms) {
    Product &product = result.emplace_back(Product{term.coefficient, {}, {}});
    for (const Node::Atom &factor : term.factors) {
      bool isQuotient = quotients && factor.kind == Node::Atom::Kind::FloorDiv;
      if (isQuotient)
        product.quotients.emplace_back(factor.operands.front(), factor.number);
      else if (factor.kind == Node::Atom::Kind::Symbol)
        product.symbols.push_back(factor.number);
      else
        return std::nullopt;
    }
  }
  return result;
}

bool SizeExpr::Node::growsWith(const Atom &atom, unsigned symbol) {
  if (atom.kind == Atom::Kind::Symbol)
    return atom.number == symbol;
  auto grows = [&](const SizeExpr &operand) {
    return llvm::any_of(termsOf(operand), [&](const Term &term) {
      return llvm::any_of(term.factors, [&](const Atom &factor) { return growsWith(factor, symbol); });
    });
  };
  // A minimum with a constant operand is bounded.
  if (atom.kind == Atom::Kind::Min && llvm::any_of(atom.operands, [](auto &operand) { return operand.isConstant(); }))
    return false;
  return llvm::any_of(atom.operands, grows);
}

bool SizeExpr::Node::hasProductOf(const Atom &atom, unsigned a, unsigned b) {
  auto has = [&](const SizeExpr &operand) { return operand.hasProductOf(a, b); };
  // A minimum grows like its slowest-growing operand.
  return atom.kind == Atom::Kind::Min ? llvm::all_of(atom.operands, has) : llvm::any_of(atom.operands, has);
}

bool SizeExpr::Node::hasProductOf(const Term &term, unsigned a, unsigned b) {
  for (auto [i, first] : llvm::enumerate(term.factors)) {
    if (hasProductOf(first, a, b))
      return true;
    for (auto [j, second] : llvm::enumerate(term.factors))
      if (i != j && growsWith(first, a) && growsWith(second, b))
        return true;
  }
  return false;
}

bool SizeExpr::hasProductOf(unsigned a, unsigned b) const {
  return llvm::any_of(node->terms, [&](const Node::Term &term) { return Node::hasProductOf(term, a, b); });
}

//===------------------------------------------------------------------------------------------------------------===//
// Code
//===------------------------------------------------------------------------------------------------------------===//

/// Emits index arithmetic by unsigned operations, because all intermediate values are nonnegative.
struct SizeExpr::Node::Materialiser {
  mlir::OpBuilder &builder;
  mlir::Location location;
  llvm::ArrayRef<mlir::Value> values;
  mlir::Value *overflow; ///< null: no overflow checks

  mlir::Value number(int64_t value) { return mlir::arith::ConstantIndexOp::create(builder, location, value); }

  void note(mlir::Value condition) { *overflow = mlir::arith::OrIOp::create(builder, location, *overflow, condition); }
  /// Records an overflow if the top bit is set, because a result above 2^63 - 1 is invalid.
  void noteTopBit(mlir::Value value) {
    note(mlir::arith::CmpIOp::create(builder, location, mlir::arith::CmpIPredicate::slt, value, number(0)));
  }

  mlir::Value add(mlir::Value a, mlir::Value b) {
    mlir::Value sum = builder.createOrFold<mlir::arith::AddIOp>(location, a, b);
    if (overflow)
      noteTopBit(sum); // the sum of two 63-bit numbers fits in 64 bits
    return sum;
  }

  mlir::Value multiply(mlir::Value a, mlir::Value b) {
    if (!overflow)
      return builder.createOrFold<mlir::arith::MulIOp>(location, a, b);
    auto product = mlir::arith::MulUIExtendedOp::create(builder, location, a, b);
    note(mlir::arith::CmpIOp::create(builder, location, mlir::arith::CmpIPredicate::ne, product.getHigh(), number(0)));
    noteTopBit(product.getLow());
    return product.getLow();
  }

  mlir::Value value(const Atom &atom) {
    if (atom.kind == Atom::Kind::Symbol)
      return values[atom.number];
    mlir::Value result = value(atom.operands.front());
    switch (atom.kind) {
    case Atom::Kind::CeilDiv:
      return builder.createOrFold<mlir::arith::DivUIOp>(location, add(result, number(atom.number - 1)),
                                                        number(atom.number));
    case Atom::Kind::FloorDiv:
      return builder.createOrFold<mlir::arith::DivUIOp>(location, result, number(atom.number));
    default:
      break;
    }
    for (const SizeExpr &operand : llvm::drop_begin(atom.operands))
      result = atom.kind == Atom::Kind::Max
                   ? builder.createOrFold<mlir::arith::MaxUIOp>(location, result, value(operand))
                   : builder.createOrFold<mlir::arith::MinUIOp>(location, result, value(operand));
    return result;
  }

  mlir::Value value(const Term &term) {
    int64_t magnitude = term.coefficient < 0 ? -term.coefficient : term.coefficient;
    mlir::Value product;
    for (const Atom &factor : term.factors)
      product = product ? multiply(product, value(factor)) : value(factor);
    if (!product)
      return number(magnitude);
    return magnitude == 1 ? product : multiply(product, number(magnitude));
  }

  mlir::Value value(const SizeExpr &expr) {
    mlir::Value plus, minus;
    for (const Term &term : termsOf(expr)) {
      mlir::Value &side = term.coefficient < 0 ? minus : plus;
      side = side ? add(side, value(term)) : value(term);
    }
    if (!plus)
      plus = number(0);
    return minus ? builder.createOrFold<mlir::arith::SubIOp>(location, plus, minus) : plus;
  }
};

mlir::Value SizeExpr::materialise(mlir::OpBuilder &builder, mlir::Location location,
                                  llvm::ArrayRef<mlir::Value> values) const {
  return Node::Materialiser{builder, location, values, nullptr}.value(*this);
}

mlir::Value SizeExpr::materialiseChecked(mlir::OpBuilder &builder, mlir::Location location,
                                         llvm::ArrayRef<mlir::Value> values, mlir::Value &overflow) const {
  return Node::Materialiser{builder, location, values, &overflow}.value(*this);
}

} // namespace attnc
