//===- Builder.h - typed nodes, made one at a time ----------------------------------------------------------------===//
//
// Owns nothing but the way nodes are made: into the Program, with what the checker needs to know of each at hand. An
// expression is *open* where it speaks of indices (or of the `w` of a weight) of the body around it, and *closed*
// otherwise. While a body is being checked its expressions may be rows: nodes for tensors, but open. Elements.h
// rewrites them; what leaves the checker is as Typed.h says.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Typed.h"
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>

namespace attnc::check {

/// What an open expression speaks of: indices by their number in the Program, and locals that are scalars of a body.
struct Free {
  std::set<unsigned> indices;
  std::set<const typed::Local *> scalars;
  bool empty() const { return indices.empty() && scalars.empty(); }
};
using FreeRef = std::shared_ptr<const Free>;

struct NormaliserWord;

/// attend { ... } as checked, in rows; its results are LocalRefs to `yields` until Elements binds them.
struct PendingAttend {
  std::vector<typed::Index *> keys;
  const NormaliserWord *word = nullptr; ///< as the program has it
  typed::Normaliser normaliser = typed::Normaliser::Softmax;
  double alpha = 2;
  typed::ExprRef sink = nullptr, temperature = nullptr;
  typed::ExprRef plainScore = nullptr; ///< without noise, where the score has some
  typed::ExprRef score = nullptr, mask = nullptr, weight = nullptr, value = nullptr;
  const typed::Local *weightIn = nullptr;
  std::vector<typed::Statistic> statistics;
  std::vector<const typed::Local *> yields;
  int64_t top = 0;                    ///< of how many keys, where one of the yields has them
  std::vector<typed::Index *> summed; ///< over which KeySums are
  std::optional<size_t> logpPlace;    ///< among the yields, where it is wanted
  std::string module;                 ///< that it is in, "blocks.{0}.mix"
  FreeRef free;
  SourceRange range;
};

class Builder {
public:
  explicit Builder(typed::Program &program) : program(program), nothing(std::make_shared<Free>()) {}

  typed::ExprRef make(typed::Expr::Node node, typed::Type type, SourceRange range);

  typed::ExprRef real(double value, SourceRange range);
  typed::ExprRef integer(int64_t value, typed::Element element, SourceRange range);
  typed::ExprRef boolean(bool value, SourceRange range);
  /// A size as an Index: a constant where it is one.
  typed::ExprRef size(const Dim &dim, SourceRange range);
  typed::ExprRef cast(typed::ExprRef operand, typed::Element element);
  /// Operands must agree; the result's shape is that of broadcasting them, which must be possible.
  typed::ExprRef elementwise(typed::Op op, std::vector<typed::ExprRef> operands, SourceRange range);
  typed::ExprRef reference(const typed::Local *local, SourceRange range);
  typed::ExprRef reference(typed::Index *index, SourceRange range);
  typed::ExprRef permute(typed::ExprRef source, std::vector<unsigned> permutation, SourceRange range);
  /// The source with another shape of as many elements; null where the checker cannot see that it has as many.
  typed::ExprRef reshape(typed::ExprRef source, Shape shape, SourceRange range);
  /// One element, or a row where there are fewer indices than dimensions. Closed bases are bound first.
  typed::ExprRef subscript(typed::ExprRef base, std::vector<typed::ExprRef> indices, SourceRange range);
  /// An element of a tensor that is read where it has one: that of `iota(n)` at i is i.
  typed::ExprRef elementOf(typed::ExprRef tensor, std::vector<typed::ExprRef> indices, SourceRange range);
  typed::ExprRef reduction(typed::Combiner combiner, std::vector<typed::Index *> indices, typed::ExprRef filter,
                           typed::ExprRef body, SourceRange range);
  typed::ExprRef reduceAxes(typed::Combiner combiner, typed::ExprRef source, std::vector<unsigned> axes,
                            SourceRange range);

  typed::Local *newLocal(std::string name, typed::Type type, SourceRange range);
  typed::Index *newIndex(std::string name, SourceRange range);
  unsigned numberOf(const typed::Index *index) const { return indexNumbers.at(index); }
  typed::Index *indexAt(unsigned number) { return &program.indices[number]; }

  /// A closed expression as a reference to a local, bound here unless it is a reference already.
  typed::ExprRef bind(std::string name, typed::ExprRef value, SourceRange range);
  void let(std::vector<const typed::Local *> locals, typed::ExprRef value);
  /// What a Let binds the local to; null for others.
  typed::ExprRef definitionOf(const typed::Local *local) const {
    auto found = definitions.find(local);
    return found == definitions.end() ? nullptr : found->second;
  }

  /// The block that Lets go to.
  typed::Block *getBlock() const { return block; }
  void setBlock(typed::Block *newBlock);

  const Free &freeOf(typed::ExprRef expr) const { return *infos.at(expr).free; }
  bool isOpen(typed::ExprRef expr) const { return !freeOf(expr).empty(); }

  /// Makes `local` a scalar of a body: references to it are open. It is one number for each tuple of `indices`.
  void makeScalar(const typed::Local *local, std::set<unsigned> indices) { scalars[local] = std::move(indices); }
  /// The indices whose tuples an expression has a value for, those of the scalars in it too.
  std::set<unsigned> indicesOf(typed::ExprRef expr) const;
  PendingAttend &addPending(PendingAttend pending);
  /// The attend that the local is a yield of, until it is bound; null for other locals.
  PendingAttend *pendingOf(const typed::Local *local) const;

  /// Beyond what later phases can take: in nodes, or in how deep they nest.
  bool isTooLarge() const { return program.exprs.size() >= maximumNodes; }
  bool isTooDeep() const { return deepest >= maximumDepth; }

  /// The first tensor since the last call that is larger than one can be (canHaveShape); null where none is.
  typed::ExprRef takeOversized() { return std::exchange(oversized, nullptr); }

  static constexpr size_t maximumNodes = 200000;
  static constexpr unsigned maximumDepth = 500;

private:
  struct Info {
    FreeRef free;
    unsigned depth;
  };
  Info infoOf(const typed::Expr &expr) const;

  typed::Program &program;
  typed::Block *block = nullptr;
  FreeRef nothing;
  std::unordered_map<typed::ExprRef, Info> infos;
  std::unordered_map<const typed::Index *, unsigned> indexNumbers;
  std::map<const typed::Local *, std::set<unsigned>> scalars;
  std::set<const typed::Local *> counting; ///< tensors whose element at i is i
  std::unordered_map<const typed::Local *, typed::ExprRef> definitions;
  std::deque<PendingAttend> pendings;
  std::unordered_map<const typed::Local *, PendingAttend *> pendingByLocal;
  std::unordered_map<typed::ExprRef, typed::ExprRef> bound; ///< within the current block
  std::map<typed::Block *, std::unordered_map<typed::ExprRef, typed::ExprRef>> outerBound;
  unsigned deepest = 0;
  typed::ExprRef oversized = nullptr;
};

/// The shape of a and b together: trailing dimensions align, each the same or the literal 1 on one side.
std::optional<Shape> broadcast(const Shape &a, const Shape &b);

/// Calls `visit` on each operand of a node.
template <class Visitor> void forEachOperand(const typed::Expr &expr, Visitor visit) {
  using namespace typed;
  if (auto *node = expr.as<Elementwise>())
    for (ExprRef operand : node->operands)
      visit(operand);
  else if (auto *node = expr.as<Cast>())
    visit(node->operand);
  else if (auto *node = expr.as<AxisReduction>())
    visit(node->source);
  else if (auto *node = expr.as<MatMul>())
    visit(node->a), visit(node->b);
  else if (auto *node = expr.as<Permute>())
    visit(node->source);
  else if (auto *node = expr.as<Reshape>())
    visit(node->source);
  else if (auto *node = expr.as<Slice>())
    visit(node->source);
  else if (auto *node = expr.as<Concat>())
    for (ExprRef part : node->parts)
      visit(part);
  else if (auto *node = expr.as<Fill>())
    visit(node->value);
  else if (auto *node = expr.as<Comprehension>())
    visit(node->body);
  else if (auto *node = expr.as<Subscript>()) {
    visit(node->base);
    for (ExprRef index : node->indices)
      visit(index);
  } else if (auto *node = expr.as<IndexReduction>()) {
    if (node->filter)
      visit(node->filter);
    visit(node->body);
  } else if (auto *node = expr.as<Draw>()) {
    visit(node->seed), visit(node->step);
    for (ExprRef index : node->element)
      visit(index);
  }
}

} // namespace attnc::check
