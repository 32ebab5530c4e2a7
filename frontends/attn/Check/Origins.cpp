#include "frontends/attn/Check/Origins.h"
#include "frontends/attn/Check/Builder.h"

#include <algorithm>
#include <fmt/format.h>

namespace attnc::check {

using namespace typed;

void Origins::addCall(ExprRef result, Call call) { calls[result] = std::move(call); }

void Origins::addVariable(ExprRef reference, ExprRef value) {
  if (auto *ref = reference->as<LocalRef>(); ref && reference != value)
    variables.emplace(ref->local, value);
}

std::optional<Origins::Origin> Origins::find(ExprRef expr, const Dim &dim) const {
  Seen seen;
  return follow(expr, dim, seen);
}

/// Returns the last word of a parameter's path, its name in the program.
static std::string fieldOf(const std::string &path) { return path.substr(path.rfind('.') + 1); }

std::optional<Origins::Origin> Origins::follow(ExprRef expr, const Dim &dim, Seen &seen) const {
  if (!seen.insert(expr).second)
    return std::nullopt;
  auto call = calls.find(expr);
  bool isCall = call != calls.end();
  if (!isCall || !call->second.isOfModule)
    if (std::optional<Origin> found = followOperands(*expr, dim, seen))
      return found;
  return isCall ? std::optional(Origin{"", call->second.maker, call->second.declared}) : std::nullopt;
}

/// Returns the source dimensions of the reshape group that has `dim` in its result.
static Shape sourcesOf(const Expr &expr, const Reshape &reshape, const Dim &dim) {
  Shape found;
  unsigned from = 0, to = 0;
  for (const Reshape::Group &group : reshape.groups) {
    auto begin = expr.type.shape.begin() + to, end = begin + group.results;
    if (std::find(begin, end, dim) != end)
      for (unsigned i = 0; i < group.sources; ++i)
        found.push_back(reshape.source->type.shape[from + i]);
    from += group.sources;
    to += group.results;
  }
  return found;
}

std::optional<Origins::Origin> Origins::followOperands(const Expr &expr, const Dim &dim, Seen &seen) const {
  if (auto *ref = expr.as<LocalRef>()) {
    if (arguments.count(ref->local))
      return Origin{ref->local->name, "", ref->local->range};
    auto variable = variables.find(ref->local);
    return variable == variables.end() ? std::nullopt : follow(variable->second, dim, seen);
  }
  if (auto *ref = expr.as<ParameterRef>())
    return Origin{fieldOf(ref->parameter->name), "", ref->parameter->range};
  std::optional<Origin> found;
  auto followTo = [&](ExprRef operand, const Dim &itsDim) {
    if (!found)
      found = follow(operand, itsDim, seen);
  };
  if (auto *reshape = expr.as<Reshape>())
    for (const Dim &source : sourcesOf(expr, *reshape, dim))
      followTo(reshape->source, source);
  if (auto *slice = expr.as<Slice>())
    for (size_t axis = 0; axis < expr.type.rank(); ++axis)
      if (expr.type.shape[axis] == dim)
        followTo(slice->source, slice->source->type.shape[axis]);
  forEachOperand(expr, [&](ExprRef operand) {
    const Shape &shape = operand->type.shape;
    // The elements of index notation are scalars; the tensors that they are read from have the dimension.
    if (shape.empty() ? !operand->as<LocalRef>() : std::count(shape.begin(), shape.end(), dim) > 0)
      followTo(operand, dim);
  });
  return found;
}

//===- Notes ------------------------------------------------------------------------------------------------------===//

/// Returns the variable at the start of an operand: `k` of `k[b, h, j]`.
static std::string variableOf(std::string_view written) {
  size_t end = 0;
  while (end < written.size() && (std::isalnum(static_cast<unsigned char>(written[end])) || written[end] == '_'))
    ++end;
  bool isPart = end == written.size() || written[end] == '[' || written[end] == '\'';
  return isPart ? std::string(written.substr(0, end)) : "";
}

void Origins::note(Diagnostic &report, ExprRef operand, SourceRange written, const Dim &dim) const {
  std::optional<Origin> origin = find(operand, dim);
  if (!origin)
    return;
  auto lineOf = [&](SourceRange range) { return sources.file(range.file).lineColumn(range.begin).line; };
  SourceRange declared = origin->declared, place = report.primary.range;
  if (!place.valid() || (declared.file == place.file && lineOf(declared) == lineOf(place)))
    return;
  std::string variable = origin->name.empty() ? variableOf(sources.text(written)) : "";
  std::string message = variable.empty()
                            ? fmt::format("`{}` is declared", origin->name.empty() ? origin->maker : origin->name)
                            : fmt::format("`{}` is made by `{}`, declared", variable, origin->maker);
  for (const Note &note : report.notes)
    if (note.message == message)
      return;
  report.note(message, declared);
}

} // namespace attnc::check
