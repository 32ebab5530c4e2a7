#include "frontends/attn/Check/Draws.h"

#include <fmt/format.h>

namespace attnc::check {

using namespace typed;

ExprRef Draws::draw(const std::vector<Index *> &over, SourceRange range) {
  Draw drawn;
  drawn.site = count++;
  drawn.seed = build.reference(seed, range);
  drawn.step = build.reference(step, range);
  drawn.loops = loops;
  for (Index *index : over) {
    drawn.dimensions.push_back(index);
    drawn.element.push_back(build.reference(index, range));
  }
  return build.make(std::move(drawn), {Element::F32, {}}, range);
}

bool Draws::mayDraw(SourceRange range, const std::string &what) {
  if (!first) {
    first = range;
    count = 0;
    seed = build.newLocal("seed", {Element::I32, {}}, range);
    step = build.newLocal("step", {Element::I32, {}}, range);
  }
  if (!context.steppedParameter && !context.isPositional)
    return true;
  reporter
      .error(DiagnosticKind::NotSupported, range,
             fmt::format("{} in {} is not supported yet", what,
                         context.steppedParameter ? "the step of an optimizer" : "incremental inference"))
      .hint(context.steppedParameter ? "a function of the model can draw, and what it computes can be trained"
                                     : "`if training { ... }` around it restricts it to training steps");
  return false;
}

void Draws::addArguments(Entry &entry) {
  if (!first)
    return;
  entry.seed = seed;
  entry.step = step;
  std::vector<const Local *> added = {seed};
  if (!context.isTraining)
    added.push_back(step);
  for (const Local *local : added) {
    for (const Local *argument : entry.arguments)
      if (argument->name == local->name)
        reporter
            .error(DiagnosticKind::AlreadyDefined, argument->range,
                   fmt::format("an entry point that draws has an argument `{}` of its own", local->name))
            .note("the random draw is", *first)
            .hint("give this parameter another name");
    entry.arguments.push_back(local);
  }
}

} // namespace attnc::check
