#include "frontends/attn/Check/Entries/Exports.h"

#include "compiler/Diagnostics/Spelling.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace attnc::check {

using namespace typed;

void Exports::check(const ast::ExportDecl &decl, SourceUnit &unit, Instance *model) {
  std::optional<Derivation> derivation = derivationOf(reporter, decl);
  if (!derivation)
    return;
  for (const Entry &entry : program.entries)
    if (entry.name == decl.name.text) {
      reporter.error(DiagnosticKind::AlreadyDefined, decl.name.range, fmt::format("`{}` is exported twice", entry.name))
          .note("the first is", entry.range);
      return;
    }
  Scope &scope = model ? scopes.moduleScope({model, {}}) : scopes.unitScope(&unit);
  if (derivation->isBy("decode"))
    return decoders.decode(*derivation, decl, unit, scope);
  std::optional<FunctionValue> function = exportedFunction(reporter, derivation->function, unit, model);
  if (!function)
    return;
  if (derivation->isBy("minimize"))
    context.minimizedOver = minimizer.over(*derivation, scope); // before training, in which states have other values
  context.isTraining = derivation->isBy("minimize");
  context.isDifferentiated = context.isTraining || derivation->isBy("gradient");
  context.isPositional = derivation->isBy("incremental");
  context.returnsWeights = derivation->isBy("attention");
  Entry *entry = entries.add(*function, decl.name.text, decl.name.range);
  context.isTraining = context.isDifferentiated = context.isPositional = context.returnsWeights = false;
  if (!entry)
    return;
  if (derivation->isBy("minimize"))
    minimizer.minimize(*entry, *derivation, decl, scope);
  else if (derivation->isBy("incremental"))
    incremental(*entry, *derivation, decl, scope);
  else if (derivation->isBy("gradient"))
    entry->isGradient = isLoss(reporter, *entry, decl, "a gradient needs");
  else
    entry->isAttention = derivation->isBy("attention");
}

/// Returns the argument, a number of positions; reports other values and returns 1.
int64_t Exports::positions(const ast::Argument &argument, Scope &scope) {
  Block outside;
  lets.setBlock(&outside);
  std::optional<double> count = expressions.check(*argument.value, scope).real();
  if (count && *count >= 1 && *count <= INT32_MAX && *count == std::floor(*count))
    return static_cast<int64_t>(*count);
  reporter.error(DiagnosticKind::NotConstant, argument.value->range,
                 fmt::format("`{}` is a number of positions from 1 on", argument.label->text));
  return 1;
}

void Exports::incremental(Entry &entry, const Derivation &derivation, const ast::ExportDecl &decl, Scope &scope) {
  const ast::NameRefExpr *dimension = nullptr;
  bool isKnown = true;
  for (const ast::Argument *argument : derivation.arguments) {
    std::string label = argument->label ? argument->label->text : "";
    if (label == "along" && !dimension) {
      dimension = argument->value->as<ast::NameRefExpr>();
      isKnown &= dimension != nullptr;
    } else if (label == "take_back" && !entry.takeBack) {
      entry.takeBack = positions(*argument, scope);
    } else if (label == "paged" && !entry.paged) {
      entry.paged = positions(*argument, scope);
    } else {
      isKnown = false;
    }
  }
  if (!dimension || !isKnown || (entry.takeBack && entry.paged)) {
    reporter
        .error(DiagnosticKind::ArgumentCount, decl.value->range,
               "`incremental` takes `along`, a dimension, and optionally `take_back` or `paged`, a number")
        .hint("incremental(f, along: seq)");
    return;
  }
  entry.along = dimension->name;
  std::vector<std::string> names;
  for (const Dimension &each : entry.dimensions)
    names.push_back(each.name);
  if (std::find(names.begin(), names.end(), dimension->name) != names.end())
    return;
  Diagnostic &report =
      reporter.error(DiagnosticKind::UnknownName, dimension->range,
                     fmt::format("`{}` is not a dimension of this function's arguments", dimension->name));
  if (auto meant = nearest(dimension->name, names))
    report.hint(fmt::format("did you mean `{}`?", *meant));
}

} // namespace attnc::check
