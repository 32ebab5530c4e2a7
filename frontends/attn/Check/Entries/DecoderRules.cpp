#include "frontends/attn/Check/Entries/DecoderRules.h"

#include <algorithm>
#include <fmt/format.h>

namespace attnc::check {

using namespace typed;

bool isDecodable(Reporter &reporter, const Entry &step, SourceRange range) {
  if (step.results.empty() && reporter.hasReported()) // the function has an error
    return false;
  const Local *tokens = nullptr;
  unsigned count = 0;
  for (const Local *argument : step.arguments)
    for (const Dim &extent : argument->type.shape)
      if (extent == Dim::symbol(step.along)) {
        tokens = argument;
        ++count;
      }
  bool takesTokens = count == 1 && tokens->type.element == Element::I32 && tokens->type.rank() == 2 &&
                     tokens->type.shape[1] == Dim::symbol(step.along) && !tokens->type.shape[0].isConstant();
  auto refuse = [&](const std::string &reason, const std::string &hint) {
    Diagnostic &report =
        reporter.error(DiagnosticKind::NotAnEntry, range, fmt::format("`{}` cannot be decoded: {}", step.name, reason))
            .hint(hint);
    if (range != step.range)
      report.note("it is exported", step.range);
    return false;
  };
  if (step.paged)
    return refuse("its caches are paged", "without `paged`, `incremental` has the caches of a decoding loop");
  if (!takesTokens)
    return refuse(fmt::format("its input along `{}` is not one tensor of tokens", step.along),
                  fmt::format("i32[batch, {}] is", step.along));
  const Type *found = step.results.size() == 1 ? &step.results[0].value->type : nullptr;
  bool givesLogits = found && found->element == Element::F32 &&
                     (found->rank() == 2 || (found->rank() == 3 && found->shape[1] == tokens->type.shape[1])) &&
                     found->shape.front() == tokens->type.shape[0];
  return givesLogits ||
         refuse(fmt::format("it returns {}, which are not the logits of one token for each position",
                            found ? textOf(*found) : fmt::format("{} results", step.results.size())),
                fmt::format("f32[batch, {}, vocab], or f32[batch, vocab] of the last one, are", step.along));
}

bool hasSizesOfCall(Reporter &reporter, const Entry &choice, size_t from, const Type &logits) {
  for (size_t number = from; number < choice.arguments.size(); ++number)
    for (const Dim &size : choice.arguments[number]->type.shape)
      if (!size.isConstant() && size != logits.shape.front() && size != logits.shape.back()) {
        reporter
            .error(DiagnosticKind::NotAnEntry, choice.arguments[number]->range,
                   fmt::format("the input `{}` of the sampler is along `{}`, which is not a size of its logits",
                               choice.arguments[number]->name, size.text()))
            .hint(fmt::format("`{}` and `{}` are", logits.shape.front().text(), logits.shape.back().text()));
        return false;
      }
  return true;
}

bool isChoice(Reporter &reporter, const Entry &entry, SourceRange range) {
  const Type *logits = entry.arguments.empty() ? nullptr : &entry.arguments[0]->type;
  const Type *token = entry.results.size() == 1 ? &entry.results[0].value->type : nullptr;
  auto isNamed = [](const Dim &dim) { return !dim.isConstant(); };
  if (logits && token && logits->element == Element::F32 && logits->rank() == 2 && token->element == Element::I32 &&
      token->rank() == 1 && token->shape[0] == logits->shape[0] &&
      std::all_of(logits->shape.begin(), logits->shape.end(), isNamed))
    return hasSizesOfCall(reporter, entry, 1, *logits);
  reporter.error(DiagnosticKind::NotAnEntry, range, "this function does not choose a token for each row of logits")
      .note("it is", entry.range)
      .hint("it takes f32[batch, vocab] and returns i32[batch]; a search over n beams, at least 1, takes scores "
            "f32[batch, n], ended bool[batch, n] and logits f32[batch, n, vocab], and returns scores f32[batch, n], "
            "parents i32[batch, n] and tokens i32[batch, n]");
  return false;
}

std::optional<int64_t> beamsOf(const Entry &entry) {
  if (entry.arguments.size() < 3 || entry.results.size() != 3)
    return std::nullopt;
  const Type &logits = entry.arguments[2]->type;
  if (logits.element != Element::F32 || logits.rank() != 3 || logits.shape[0].isConstant() ||
      !logits.shape[1].isConstant() || logits.shape[2].isConstant())
    return std::nullopt;
  Shape beams = {logits.shape[0], logits.shape[1]};
  auto is = [&](const Type &type, Element element) { return type.element == element && type.shape == beams; };
  bool isSearch = is(entry.arguments[0]->type, Element::F32) && is(entry.arguments[1]->type, Element::Bool) &&
                  is(entry.results[0].value->type, Element::F32) && is(entry.results[1].value->type, Element::I32) &&
                  is(entry.results[2].value->type, Element::I32) && beams[1].constant() > 0;
  return isSearch ? std::optional(beams[1].constant()) : std::nullopt;
}

bool hasTokens(Reporter &reporter, const Entry &step, int64_t most, const ast::Argument &atMost,
               std::optional<int64_t> last, const ast::Argument *stop) {
  const Dim &vocabulary = step.results[0].value->type.shape.back();
  if (last && vocabulary.isConstant() && *last >= vocabulary.constant()) {
    reporter.error(DiagnosticKind::BadSize, stop->value->range,
                   fmt::format("there are {} tokens, and none has the number {}", vocabulary.constant(), *last));
    return false;
  }
  for (const Dimension &dimension : step.dimensions)
    if (dimension.name == step.along && dimension.max >= 0 && most > dimension.max) {
      reporter.error(DiagnosticKind::BadSize, atMost.value->range,
                     fmt::format("`{}` is {} at most, which leaves no room for {} tokens after one of a prompt",
                                 step.along, dimension.max, most));
      return false;
    }
  return true;
}

} // namespace attnc::check
