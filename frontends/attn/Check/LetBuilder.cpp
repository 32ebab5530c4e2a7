#include "frontends/attn/Check/LetBuilder.h"
#include <cassert>

namespace attnc::check {

using namespace typed;

/// True for [i < n] => i.
static bool isCounting(ExprRef value) {
  auto *build = value->as<Comprehension>();
  ExprRef body = build && build->indices.size() == 1 ? build->body : nullptr;
  if (auto *cast = body ? body->as<Cast>() : nullptr)
    body = cast->operand;
  auto *ref = body ? body->as<IndexRef>() : nullptr;
  return ref && ref->index == build->indices.front();
}

void LetBuilder::let(std::vector<const Local *> locals, ExprRef value) {
  for (const Local *local : locals)
    definitions[local] = value;
  block->statements.push_back(Let{std::move(locals), value});
}

ExprRef LetBuilder::bind(std::string name, ExprRef value, SourceRange range) {
  assert(!isOpen(value) && "only closed expressions are bound");
  if (value->as<LocalRef>() || value->as<ParameterRef>())
    return value;
  if (value->type.rank() == 0 && (value->as<Constant>() || value->as<DimValue>()))
    return value;
  auto known = bound.find(value);
  if (known != bound.end())
    return known->second;
  Local *local = build.newLocal(std::move(name), value->type, range);
  let({local}, value);
  if (isCounting(value))
    counting.insert(local);
  ExprRef result = build.reference(local, value->range);
  bound.emplace(value, result);
  return result;
}

void LetBuilder::setBlock(Block *newBlock) {
  // Expressions bound in a block are visible in that block alone; an enclosing block that is open retains its own.
  if (block)
    outerBound[block] = std::move(bound);
  bound.clear();
  auto saved = outerBound.find(newBlock);
  if (saved != outerBound.end()) {
    bound = std::move(saved->second);
    outerBound.erase(saved);
  }
  block = newBlock;
}

ExprRef LetBuilder::subscript(ExprRef base, std::vector<ExprRef> indices, SourceRange range) {
  if (!isOpen(base))
    base = bind("", base, base->range);
  Shape rest(base->type.shape.begin() + static_cast<ptrdiff_t>(indices.size()), base->type.shape.end());
  std::vector<InRange> inRange(indices.size(), InRange::Proved);
  Type type{base->type.element, std::move(rest)};
  return build.make(Subscript{base, std::move(indices), std::move(inRange)}, std::move(type), range);
}

ExprRef LetBuilder::elementOf(ExprRef tensor, std::vector<ExprRef> indices, SourceRange range) {
  auto *ref = tensor->as<LocalRef>();
  if (isCounting(tensor) || (ref && counting.count(ref->local)))
    return build.cast(indices.front(), tensor->type.element);
  return subscript(tensor, std::move(indices), range);
}

} // namespace attnc::check
