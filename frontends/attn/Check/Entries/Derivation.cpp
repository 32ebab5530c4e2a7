#include "frontends/attn/Check/Entries/Derivation.h"

#include "compiler/Diagnostics/Spelling.h"

#include <fmt/format.h>

namespace attnc::check {

using namespace typed;

static constexpr const char *forms =
    "`export f` and `export g = f` make entry points of functions, "
    "`export g = gradient(f)` one that computes f and its gradients, "
    "`export m = attention(f)` one that returns the attention weights of f, "
    "`export t = minimize(f, with: optimizer(...))` one that takes a training step, "
    "`export s = incremental(f, along: seq)` those that compute f position by position, "
    "`export w = decode(s, with: ..., at_most: 64)` one that writes tokens by them";

std::optional<Derivation> derivationOf(Reporter &reporter, const ast::ExportDecl &decl) {
  Derivation result;
  result.function = decl.name;
  if (!decl.value)
    return result;
  if (auto *alias = decl.value->as<ast::NameRefExpr>()) {
    result.function = {alias->name, alias->range};
    return result;
  }
  auto *made = decl.value->as<ast::CallExpr>();
  result.rule = made ? made->callee->as<ast::NameRefExpr>() : nullptr;
  bool isKnown = result.rule && (result.rule->name == "gradient" || result.rule->name == "minimize" ||
                                 result.rule->name == "incremental" || result.rule->name == "attention" ||
                                 result.rule->name == "decode");
  if (!isKnown) {
    std::string what =
        made ? fmt::format("`{}`", reporter.text(made->callee->range)) : std::string("an export of this form");
    reporter.error(DiagnosticKind::NotSupported, decl.value->range, fmt::format("{} is not supported yet", what))
        .hint(forms);
    return std::nullopt;
  }
  const ast::NameRefExpr *function = nullptr;
  for (const ast::Argument &argument : made->arguments)
    if (auto *name = argument.value->as<ast::NameRefExpr>(); name && !function && !argument.label)
      function = name;
    else
      result.arguments.push_back(&argument);
  bool takesNoMore = result.rule->name == "gradient" || result.rule->name == "attention";
  if (!function || (takesNoMore && !result.arguments.empty())) {
    reporter
        .error(DiagnosticKind::ArgumentCount, decl.value->range,
               fmt::format("`{}` takes the name of a function", result.rule->name))
        .hint(forms);
    return std::nullopt;
  }
  result.function = {function->name, function->range};
  return result;
}

std::optional<FunctionValue> exportedFunction(Reporter &reporter, const ast::Name &name, SourceUnit &unit,
                                              Instance *model) {
  std::vector<std::string> names;
  auto find = [&](const std::vector<ast::FunctionDecl> &functions) -> const ast::FunctionDecl * {
    for (const ast::FunctionDecl &decl : functions) {
      if (decl.name && decl.name->text == name.text)
        return &decl;
      if (decl.name)
        names.push_back(decl.name->text);
    }
    return nullptr;
  };
  if (const ast::FunctionDecl *found = model ? find(model->decl->functions) : nullptr)
    return FunctionValue{found, &unit, {model, {}}};
  if (const ast::FunctionDecl *found = find(unit.ast->functions))
    return FunctionValue{found, &unit, {nullptr, {}}};
  for (const auto &[file, used] : unit.uses)
    if (const ast::FunctionDecl *found = find(used->ast->functions))
      return FunctionValue{found, used, {nullptr, {}}};
  Diagnostic &report = reporter.error(DiagnosticKind::UnknownName, name.range,
                                      fmt::format("there is no function `{}` to export", name.text));
  if (auto meant = nearest(name.text, names))
    report.hint(fmt::format("did you mean `{}`?", *meant));
  return std::nullopt;
}

static bool isNumber(const Result &result) {
  return result.value->type.element == Element::F32 && result.value->type.rank() == 0;
}

bool isLoss(Reporter &reporter, const Entry &entry, const ast::ExportDecl &decl, const char *what,
            bool mayHaveMetrics) {
  size_t count = entry.results.size();
  if (count == 0 && reporter.hasReported()) // the function has an error
    return false;
  bool isCountRight = mayHaveMetrics ? count > 0 : count == 1;
  auto other = std::ranges::find_if_not(entry.results, isNumber);
  if (isCountRight && other == entry.results.end())
    return true;
  std::string found = !isCountRight ? fmt::format("{} results", count) : textOf(other->value->type);
  if (isCountRight && count > 1)
    found = fmt::format("`{}: {}`", other->name, found);
  reporter
      .error(DiagnosticKind::NotAnEntry, decl.value->range,
             fmt::format("{} one f32, but this function returns {}", what, found))
      .hint("sum or average over it, as `mean(x)`");
  return false;
}

} // namespace attnc::check
