#include "frontends/attn/Check/Dim.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <fmt/format.h>
#include <numeric>

namespace attnc {

static Dim::Monomial product(const Dim::Monomial &a, const Dim::Monomial &b) {
  Dim::Monomial result;
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}

/// Sums and products of sizes saturate; a size that overflows is rejected when it is used.
static int64_t saturatingMultiply(int64_t a, int64_t b) {
  int64_t result;
  if (!__builtin_mul_overflow(a, b, &result))
    return result;
  return (a < 0) == (b < 0) ? INT64_MAX : INT64_MIN;
}

static int64_t saturatingAdd(int64_t a, int64_t b) {
  int64_t result;
  if (!__builtin_add_overflow(a, b, &result))
    return result;
  return a < 0 ? INT64_MIN : INT64_MAX;
}

Dim::Dim(int64_t constant) {
  if (constant != 0)
    terms[{}] = constant;
}

Dim Dim::symbol(std::string name) {
  Dim result = of({name, nullptr});
  result.label = std::move(name);
  return result;
}

Dim Dim::operator+(const Dim &other) const {
  Dim result = *this;
  result.label.clear();
  result.extent |= other.extent;
  for (const auto &[monomial, coefficient] : other.terms) {
    int64_t &sum = result.terms[monomial];
    sum = saturatingAdd(sum, coefficient);
    if (sum == 0)
      result.terms.erase(monomial);
  }
  return result;
}

Dim Dim::operator-(const Dim &other) const { return *this + other * Dim(-1); }

Dim Dim::operator*(const Dim &other) const {
  constexpr size_t maximumProducts = 4096; // powers of sums grow without bound
  if (terms.size() * other.terms.size() > maximumProducts)
    return INT64_MAX;
  Dim result;
  result.extent = extent || other.extent;
  for (const auto &[left, leftCoefficient] : terms)
    for (const auto &[right, rightCoefficient] : other.terms) {
      Dim term;
      term.terms[product(left, right)] = saturatingMultiply(leftCoefficient, rightCoefficient);
      result = result + term;
    }
  return result;
}

std::optional<Dim> Dim::dividedBy(const Dim &other) const {
  // Long division by the leading term. The order of monomials is not graded, so a division might not terminate; it is
  // cut off.
  constexpr int maximalQuotientTerms = 64;
  if (other.terms.empty())
    return std::nullopt;
  Dim rest = *this, quotient;
  const auto &[leading, leadingCoefficient] = *other.terms.rbegin();
  for (int round = 0; !rest.terms.empty(); ++round) {
    const auto &[top, topCoefficient] = *rest.terms.rbegin();
    bool overflows = topCoefficient == INT64_MIN && leadingCoefficient == -1;
    if (round == maximalQuotientTerms || overflows || topCoefficient % leadingCoefficient != 0 ||
        !std::includes(top.begin(), top.end(), leading.begin(), leading.end()))
      return std::nullopt;
    Dim step;
    Monomial factor;
    std::set_difference(top.begin(), top.end(), leading.begin(), leading.end(), std::back_inserter(factor));
    step.terms[factor] = topCoefficient / leadingCoefficient;
    quotient = quotient + step;
    rest = rest - step * other;
  }
  quotient.extent = extent || other.extent;
  return quotient;
}

unsigned Dim::nesting() const {
  unsigned most = 0;
  for (const auto &[monomial, coefficient] : terms)
    for (const Factor &factor : monomial)
      if (factor.quotient)
        most = std::max(most, factor.quotient->dividend.nesting() + 1);
  return most;
}

Dim Dim::of(const Factor &factor) {
  Dim result;
  result.terms[{factor}] = 1;
  result.extent = true;
  return result;
}

static Dim quotientOf(const Dim &dividend, int64_t divisor) {
  const char *layout = dividend.getTerms().size() > 1 ? "({}) / {}" : "{} / {}";
  return Dim::of({fmt::format(fmt::runtime(layout), dividend.text(), divisor),
                  std::make_shared<const Dim::Quotient>(Dim::Quotient{dividend, divisor})});
}

std::optional<Dim> Dim::quotient(int64_t divisor) const {
  Dim whole, rest;
  int64_t common = divisor;
  for (const auto &[monomial, coefficient] : terms) {
    int64_t remainder = (coefficient % divisor + divisor) % divisor;
    Dim term;
    term.terms[monomial] = 1;
    whole = whole + term * Dim((coefficient - remainder) / divisor);
    rest = rest + term * Dim(remainder);
    if (!monomial.empty())
      common = std::gcd(common, remainder);
  }
  whole.extent = extent;
  if (rest.isConstant())
    return whole;
  if (common > 1) { // floor((g*e + d) / (g*c)) = floor((e + floor(d / g)) / c)
    for (auto &[monomial, coefficient] : rest.terms)
      coefficient /= common;
    std::erase_if(rest.terms, [](const auto &term) { return term.second == 0; });
    divisor /= common;
  }
  // floor((floor(a / b) + d) / c) = floor((a + b*d) / (b*c))
  const auto &[monomial, coefficient] = *rest.terms.rbegin();
  size_t constants = rest.terms.count({});
  if (coefficient == 1 && monomial.size() == 1 && monomial[0].quotient && rest.terms.size() == 1 + constants) {
    const Quotient &inner = *monomial[0].quotient;
    int64_t product;
    if (!__builtin_mul_overflow(inner.divisor, divisor, &product)) {
      Dim offset = constants ? Dim(rest.terms.begin()->second) * Dim(inner.divisor) : Dim();
      std::optional<Dim> merged = (inner.dividend + offset).quotient(product);
      return merged ? std::optional(whole + *merged) : std::nullopt;
    }
  }
  if (divisor == 1)
    return whole + rest;
  if (rest.nesting() == mostNestedQuotients)
    return std::nullopt;
  return whole + quotientOf(rest, divisor);
}

bool Dim::isConstant() const { return terms.empty() || (terms.size() == 1 && terms.begin()->first.empty()); }

int64_t Dim::constant() const {
  assert(isConstant());
  return terms.empty() ? 0 : terms.begin()->second;
}

bool Dim::isPlainlyNonNegative() const {
  return std::all_of(terms.begin(), terms.end(), [](const auto &term) { return term.second > 0; });
}

bool Dim::isSaturated() const {
  return std::any_of(terms.begin(), terms.end(),
                     [](const auto &term) { return term.second == INT64_MAX || term.second == INT64_MIN; });
}

std::optional<Dim::Linear> Dim::linear() const {
  std::optional<Linear> result;
  int64_t offset = 0;
  for (const auto &[names, coefficient] : terms) {
    if (names.empty())
      offset = coefficient;
    else if (result || names.size() > 1 || names[0].quotient || coefficient < 0)
      return std::nullopt;
    else
      result = Linear{names[0].name, coefficient, 0};
  }
  if (result)
    result->offset = offset;
  return result;
}

/// A lower bound of the size: its value, or more, with all names 1.
static int64_t leastSize(const Dim &dim) {
  int64_t sum = 0;
  for (const auto &[monomial, coefficient] : dim.getTerms())
    sum = saturatingAdd(sum, coefficient == INT64_MIN ? INT64_MAX : std::abs(coefficient));
  return sum;
}

bool canHaveSize(const Dim &dim) { return leastSize(dim) <= INT32_MAX; }

bool canHaveShape(const Shape &shape) {
  int64_t count = 1;
  for (const Dim &dim : shape) {
    count = saturatingMultiply(count, std::max<int64_t>(leastSize(dim), 1));
    if (!canHaveSize(dim) || count > int64_t(1) << 56)
      return false;
  }
  return true;
}

Dim Dim::substitute(const std::map<std::string, Dim> &values) const {
  Dim result;
  for (const auto &[monomial, coefficient] : terms) {
    Dim term(coefficient);
    for (const Factor &factor : monomial) {
      auto value = values.find(factor.name);
      if (factor.quotient)
        term = term * *factor.quotient->dividend.substitute(values).quotient(factor.quotient->divisor);
      else
        term = term * (value == values.end() ? symbol(factor.name) : value->second);
    }
    result = result + term;
  }
  result.label = label;
  result.extent = extent;
  return result;
}

std::set<std::string> Dim::dimensions() const {
  std::set<std::string> names;
  for (const auto &[monomial, coefficient] : terms)
    for (const Factor &factor : monomial) {
      if (factor.quotient)
        names.merge(factor.quotient->dividend.dimensions());
      else
        names.insert(factor.name);
    }
  return names;
}

static std::string textOf(const Dim::Monomial &monomial, int64_t coefficient) {
  if (monomial.empty())
    return std::to_string(coefficient);
  bool isAlone = monomial.size() == 1 && coefficient == 1;
  std::string text = coefficient == 1 ? "" : std::to_string(coefficient);
  for (const Dim::Factor &factor : monomial) {
    text += text.empty() ? "" : "*";
    text += factor.quotient && !isAlone ? "(" + factor.name + ")" : factor.name;
  }
  return text;
}

std::string Dim::text() const {
  if (terms.empty())
    return "0";
  // Names precede the constant; subtracted terms follow all others.
  std::string plus, minus;
  for (int pass = 0; pass < 2; ++pass)
    for (const auto &[monomial, coefficient] : terms) {
      if (monomial.empty() != (pass == 1))
        continue;
      if (coefficient > 0)
        plus += (plus.empty() ? "" : " + ") + textOf(monomial, coefficient);
      else
        minus += " - " + textOf(monomial, coefficient == INT64_MIN ? INT64_MAX : -coefficient);
    }
  if (plus.empty())
    return "-" + minus.substr(3);
  return plus + minus;
}

Dim Dim::labelled(std::string name) const {
  Dim result = *this;
  result.label = std::move(name);
  return result;
}

Dim Dim::asExtent() const {
  Dim result = *this;
  result.extent = true;
  return result;
}

std::string textOf(const Shape &shape) {
  std::string text = "[";
  for (const Dim &dim : shape)
    text += (text.size() > 1 ? ", " : "") + dim.text();
  return text + "]";
}

} // namespace attnc
