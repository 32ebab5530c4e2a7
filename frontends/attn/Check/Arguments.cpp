#include "frontends/attn/Check/Arguments.h"

#include "compiler/Diagnostics/Spelling.h"

#include <algorithm>
#include <fmt/format.h>

namespace attnc::check {

std::vector<CheckedArgument> checkArguments(ExpressionChecker &expressions, const ast::CallExpr &expr, Scope &scope) {
  std::vector<CheckedArgument> arguments;
  for (const ast::Argument &argument : expr.arguments)
    arguments.push_back({argument.label, expressions.check(*argument.value, scope), argument.value->range});
  return arguments;
}

bool anyError(const std::vector<CheckedArgument> &arguments) {
  return std::any_of(arguments.begin(), arguments.end(),
                     [](const CheckedArgument &argument) { return argument.value.isError(); });
}

std::vector<ParameterName> namesOf(const std::vector<ast::Parameter> &parameters) {
  std::vector<ParameterName> names;
  for (const ast::Parameter &parameter : parameters)
    names.push_back({parameter.name.text, parameter.range, parameter.defaultValue != nullptr});
  return names;
}

static std::string signatureOf(const std::vector<ParameterName> &parameters, const std::string &callee) {
  std::string text = callee + "(";
  for (const ParameterName &parameter : parameters)
    text += (text.back() == '(' ? "" : ", ") + parameter.text;
  return text + ")";
}

std::optional<std::vector<std::optional<CheckedArgument>>> matchArguments(Reporter &reporter,
                                                                          const std::vector<ParameterName> &parameters,
                                                                          std::vector<CheckedArgument> arguments,
                                                                          SourceRange call, const std::string &callee) {
  std::vector<std::optional<CheckedArgument>> matched(parameters.size());
  size_t errorsBefore = reporter.errorCount(), next = 0;
  std::vector<std::string> names;
  for (const ParameterName &parameter : parameters)
    names.push_back(parameter.text);
  for (CheckedArgument &argument : arguments) {
    size_t place = next;
    if (argument.label) {
      place = static_cast<size_t>(std::find(names.begin(), names.end(), argument.label->text) - names.begin());
      if (place == names.size()) {
        Diagnostic &report = reporter.error(DiagnosticKind::UnknownArgument, argument.label->range,
                                            fmt::format("`{}` has no parameter `{}`", callee, argument.label->text));
        if (auto meant = nearest(argument.label->text, names))
          report.hint(fmt::format("did you mean `{}`?", *meant));
        else
          report.hint(signatureOf(parameters, callee));
        continue;
      }
    } else if (next++ >= names.size()) {
      reporter
          .error(DiagnosticKind::ArgumentCount, argument.range,
                 fmt::format("`{}` takes {} argument{}, but this is one more", callee, names.size(),
                             names.size() == 1 ? "" : "s"))
          .hint(signatureOf(parameters, callee));
      break;
    }
    if (matched[place])
      reporter.error(DiagnosticKind::ArgumentCount, argument.range, fmt::format("`{}` is given twice", names[place]))
          .label(matched[place]->range, "the first");
    else
      matched[place] = std::move(argument);
  }
  for (size_t i = 0; i < parameters.size() && reporter.errorCount() == errorsBefore; ++i)
    if (!matched[i] && !parameters[i].hasDefault)
      reporter.error(DiagnosticKind::ArgumentCount, call, fmt::format("`{}` is called without `{}`", callee, names[i]))
          .hint(signatureOf(parameters, callee))
          .note("it is declared", parameters[i].range);
  if (reporter.errorCount() != errorsBefore)
    return std::nullopt;
  return matched;
}

} // namespace attnc::check
