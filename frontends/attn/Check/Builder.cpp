#include "frontends/attn/Check/Builder.h"

#include <algorithm>
#include <cassert>

namespace attnc::check {

using namespace typed;

//===- Nodes ------------------------------------------------------------------------------------------------------===//

void Free::add(const Free &other) {
  indices.insert(other.indices.begin(), other.indices.end());
  scalars.insert(other.scalars.begin(), other.scalars.end());
}

std::set<unsigned> Free::allIndices() const {
  std::set<unsigned> all = indices;
  for (const auto &[local, own] : scalars)
    all.insert(own.begin(), own.end());
  return all;
}

static FreeRef unite(FreeRef a, const FreeRef &b) {
  if (b->empty() || a == b)
    return a;
  if (a->empty())
    return b;
  auto both = std::make_shared<Free>(*a);
  both->add(*b);
  return both;
}

Builder::Info Builder::infoOf(const Expr &expr) const {
  Info info{nothing, 1};
  forEachOperand(expr, [&](ExprRef operand) {
    const Info &other = infos.at(operand);
    info.free = unite(info.free, other.free);
    info.depth = std::max(info.depth, other.depth + 1);
  });
  if (auto *node = expr.as<IndexRef>())
    info.free = std::make_shared<Free>(Free{{numberOf(node->index)}, {}});
  if (auto *node = expr.as<LocalRef>())
    if (auto found = openLocals.find(node->local); found != openLocals.end())
      info.free = found->second;
  auto close = [&](const auto &indices) {
    auto without = std::make_shared<Free>(*info.free);
    for (const Index *index : indices)
      without->indices.erase(numberOf(index));
    info.free = without;
  };
  if (auto *node = expr.as<Comprehension>())
    close(node->indices);
  if (auto *node = expr.as<IndexReduction>())
    close(node->indices);
  return info;
}

ExprRef Builder::make(Expr::Node node, Type type, SourceRange range) {
  Expr &expr = program.exprs.emplace_back(Expr{std::move(node), std::move(type), range});
  Info info = infoOf(expr);
  deepest = std::max(deepest, info.depth);
  if (!oversized && !canHaveShape(expr.type.shape))
    oversized = &expr;
  infos.emplace(&expr, std::move(info));
  return &expr;
}

//===- Leaves -----------------------------------------------------------------------------------------------------===//

ExprRef Builder::real(double value, SourceRange range) { return make(Constant{value, 0}, {Element::F32, {}}, range); }

ExprRef Builder::integer(int64_t value, Element element, SourceRange range) {
  return make(Constant{0, value}, {element, {}}, range);
}

ExprRef Builder::size(const Dim &dim, SourceRange range) {
  if (dim.isConstant())
    return integer(dim.constant(), Element::Index, range);
  return make(DimValue{dim}, {Element::Index, {}}, range);
}

ExprRef Builder::reference(const Local *local, SourceRange range) { return make(LocalRef{local}, local->type, range); }

ExprRef Builder::reference(Index *index, SourceRange range) {
  return make(IndexRef{index}, {Element::Index, {}}, range);
}

Local *Builder::newLocal(std::string name, Type type, SourceRange range) {
  return &program.locals.emplace_back(Local{std::move(name), std::move(type), range, program.locals.size()});
}

Index *Builder::newIndex(std::string name, SourceRange range) {
  Index *index = &program.indices.emplace_back(Index{std::move(name), Dim(), range});
  indexNumbers[index] = static_cast<unsigned>(program.indices.size() - 1);
  return index;
}

//===- Operators --------------------------------------------------------------------------------------------------===//

ExprRef Builder::cast(ExprRef operand, Element element) {
  if (operand->type.element == element)
    return operand;
  if (auto *constant = operand->as<Constant>()) {
    double value = operand->type.element == Element::F32 ? constant->real : static_cast<double>(constant->integer);
    if (element == Element::F32)
      return real(value, operand->range);
    if (operand->type.element != Element::F32 && element != Element::Bool)
      return integer(constant->integer, element, operand->range);
  }
  return make(Cast{operand}, {element, operand->type.shape}, operand->range);
}

std::optional<Shape> broadcast(const Shape &a, const Shape &b) {
  const Shape &longer = a.size() >= b.size() ? a : b, &shorter = a.size() >= b.size() ? b : a;
  Shape result = longer;
  size_t offset = longer.size() - shorter.size();
  for (size_t i = 0; i < shorter.size(); ++i) {
    Dim &dim = result[offset + i];
    if (dim == shorter[i])
      continue;
    if (dim.is(1))
      dim = shorter[i];
    else if (!shorter[i].is(1))
      return std::nullopt;
  }
  return result;
}

static bool isComparison(Op op) {
  return op == Op::Eq || op == Op::Ne || op == Op::Lt || op == Op::Le || op == Op::Gt || op == Op::Ge;
}

ExprRef Builder::elementwise(Op op, std::vector<ExprRef> operands, SourceRange range) {
  Shape shape;
  for (ExprRef operand : operands) {
    std::optional<Shape> both = broadcast(shape, operand->type.shape);
    assert(both && "operands were checked");
    shape = *both;
  }
  Element element = isComparison(op) ? Element::Bool : operands.back()->type.element;
  return make(Elementwise{op, std::move(operands)}, {element, std::move(shape)}, range);
}

ExprRef Builder::permute(ExprRef source, std::vector<unsigned> permutation, SourceRange range) {
  if (std::is_sorted(permutation.begin(), permutation.end()))
    return source;
  Shape shape;
  for (unsigned axis : permutation)
    shape.push_back(source->type.shape[axis]);
  Type type{source->type.element, std::move(shape)};
  return make(Permute{source, std::move(permutation)}, std::move(type), range);
}

/// Divides two shapes into the smallest groups of equal products; null if their total products differ.
static std::optional<std::vector<Reshape::Group>> groupsOf(const Shape &from, const Shape &to) {
  std::vector<Reshape::Group> groups;
  size_t i = 0, j = 0;
  while (i < from.size() && j < to.size()) {
    // The shortest pair of prefixes with equal products.
    bool found = false;
    for (size_t taken = 2; !found && taken <= (from.size() - i) + (to.size() - j); ++taken)
      for (size_t m = 1; !found && m < taken && m <= from.size() - i; ++m) {
        size_t n = taken - m;
        if (n > to.size() - j)
          continue;
        Dim left(1), right(1);
        for (size_t k = 0; k < m; ++k)
          left = left * from[i + k];
        for (size_t k = 0; k < n; ++k)
          right = right * to[j + k];
        if (left != right)
          continue;
        groups.push_back({static_cast<unsigned>(m), static_cast<unsigned>(n)});
        i += m, j += n;
        found = true;
      }
    if (!found)
      break;
  }
  // The remaining dimensions must be 1.
  auto areOnes = [](const Shape &shape, size_t begin) {
    return std::all_of(shape.begin() + begin, shape.end(), [](const Dim &dim) { return dim.is(1); });
  };
  if (!areOnes(from, i) || !areOnes(to, j))
    return std::nullopt;
  if (i < from.size() || j < to.size())
    groups.push_back({static_cast<unsigned>(from.size() - i), static_cast<unsigned>(to.size() - j)});
  return groups;
}

ExprRef Builder::reshape(ExprRef source, Shape shape, SourceRange range) {
  if (source->type.shape == shape)
    return source;
  std::optional<std::vector<Reshape::Group>> groups = groupsOf(source->type.shape, shape);
  if (!groups)
    return nullptr;
  Type type{source->type.element, std::move(shape)};
  return make(Reshape{source, std::move(*groups)}, std::move(type), range);
}

static Element resultOf(Combiner combiner, Element element) {
  return combiner == Combiner::ArgMax || combiner == Combiner::ArgMin ? Element::I32 : element;
}

ExprRef Builder::reduction(Combiner combiner, std::vector<Index *> indices, ExprRef filter, ExprRef body,
                           SourceRange range) {
  Type type{resultOf(combiner, body->type.element), body->type.shape};
  std::vector<const Index *> over(indices.begin(), indices.end());
  return make(IndexReduction{combiner, std::move(over), filter, body}, std::move(type), range);
}

ExprRef Builder::reduceAxes(Combiner combiner, ExprRef source, std::vector<unsigned> axes, SourceRange range) {
  if (axes.empty())
    return source;
  Shape shape;
  for (unsigned axis = 0; axis < source->type.rank(); ++axis)
    if (!std::count(axes.begin(), axes.end(), axis))
      shape.push_back(source->type.shape[axis]);
  Type type{resultOf(combiner, source->type.element), std::move(shape)};
  return make(AxisReduction{combiner, source, std::move(axes)}, std::move(type), range);
}

} // namespace attnc::check
