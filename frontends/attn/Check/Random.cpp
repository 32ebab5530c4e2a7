// Draws: their keys, and the arguments of entry points that draw.

#include "frontends/attn/Check/Builtins.h"

#include <fmt/format.h>

namespace attnc::check {

using namespace typed;

/// A number of [0, 1) for each tuple of the indices, by a key of its own.
ExprRef Checker::draw(const std::vector<Index *> &over, SourceRange range) {
  Draw drawn;
  drawn.site = drawsMade++;
  drawn.seed = build.reference(drawSeed, range);
  drawn.step = build.reference(drawStep, range);
  drawn.loops = loopsAround;
  for (Index *index : over) {
    drawn.dimensions.push_back(index);
    drawn.element.push_back(build.reference(index, range));
  }
  return build.make(std::move(drawn), {Element::F32, {}}, range);
}

/// A call in index notation draws for each tuple of the indices that x speaks of, and for each element of a row.
Value builtinRandom(const BuiltinCall &call) {
  Checker &checker = call.checker;
  Builder &build = checker.build;
  ExprRef x = checker.asTensor(call[0].value, call[0].range);
  if (!x || !checker.mayDraw(call.range, "`random`"))
    return Value();
  std::vector<Index *> over;
  for (unsigned number : build.indicesOf(x))
    over.push_back(build.indexAt(number));
  std::vector<const Index *> own;
  for (const Dim &extent : x->type.shape) {
    Index *index = build.newIndex(extent.getLabel().empty() ? "d" : extent.getLabel(), call.range);
    index->extent = extent;
    own.push_back(index);
    over.push_back(index);
  }
  bool isElement = own.empty() && !over.empty();
  ExprRef number = checker.draw(over, call.range);
  if (isElement)
    return TensorValue{number};
  return TensorValue{build.make(Comprehension{std::move(own), number}, {Element::F32, x->type.shape}, call.range)};
}

/// Makes the key of the entry's draws where this is the first of them.
bool Checker::mayDraw(SourceRange range, const std::string &what) {
  if (!drawRange) {
    drawRange = range;
    drawsMade = 0;
    drawSeed = build.newLocal("seed", {Element::I32, {}}, range);
    drawStep = build.newLocal("step", {Element::I32, {}}, range);
  }
  if (!steppedParameter && !isPositional)
    return true;
  error(DiagnosticKind::NotSupported, range,
        fmt::format("{} in {} is not supported yet", what,
                    steppedParameter ? "the step of an optimizer" : "what is computed position by position"))
      .hint(steppedParameter ? "a function of the model can draw, and what it computes can be trained"
                             : "`if training { ... }` around it leaves it to steps of training");
  return false;
}

/// Gives the entry the arguments that the key of its draws comes from.
void Checker::addDrawArguments(Entry &entry) {
  if (!drawRange)
    return;
  entry.seed = drawSeed;
  entry.step = drawStep;
  std::vector<const Local *> added = {drawSeed};
  if (!isTraining)
    added.push_back(drawStep);
  for (const Local *local : added) {
    for (const Local *argument : entry.arguments)
      if (argument->name == local->name)
        error(DiagnosticKind::AlreadyDefined, argument->range,
              fmt::format("an entry point that draws has an argument `{}` of its own", local->name))
            .note("the draw is", *drawRange)
            .hint("give this parameter another name");
    entry.arguments.push_back(local);
  }
}

} // namespace attnc::check
