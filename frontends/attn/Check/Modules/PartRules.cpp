#include "frontends/attn/Check/Modules/PartRules.h"

#include "compiler/Diagnostics/Spelling.h"

#include <algorithm>
#include <fmt/format.h>

namespace attnc::check {

/// Removes the last word of a name, and returns it.
static std::string_view takeLast(std::string_view &name) {
  size_t dot = name.rfind('.');
  std::string_view last = dot == std::string_view::npos ? name : name.substr(dot + 1);
  name.remove_suffix(std::min(name.size(), last.size() + 1));
  return last;
}

bool endsIn(std::string_view checkpoint, std::string_view words) {
  do {
    std::string_view word = takeLast(words), part = takeLast(checkpoint);
    if (part.empty() || (word != "*" && word != part))
      return false;
  } while (!words.empty());
  return true;
}

/// True if one of `names` selects a part; records it as used.
static bool selects(PartRules &rules, const std::vector<ast::Name> &names, const std::string &checkpoint) {
  bool isSelected = false;
  for (const ast::Name &name : names)
    if (endsIn(checkpoint, name.text)) {
      rules.used.insert(name.text);
      isSelected = true;
    }
  rules.parts.insert(checkpoint);
  return isSelected;
}

bool isFrozenByRule(PartRules *rules, const std::string &checkpoint) {
  bool isFrozen = false;
  for (; rules; rules = rules->outer)
    isFrozen |= selects(*rules, rules->field->frozenParts, checkpoint);
  return isFrozen;
}

PartRules *rulesWithModule(PartRules *rules, const std::string &checkpoint) {
  PartRules *found = nullptr;
  for (; rules; rules = rules->outer)
    if (rules->field->wrapping && selects(*rules, rules->field->wrapping->names, checkpoint) && !found)
      found = rules;
  return found;
}

static void reportUnused(Reporter &reporter, const PartRules &rules, const std::vector<ast::Name> &names,
                         const char *what) {
  std::vector<std::string> known;
  for (std::string_view part : rules.parts)
    while (!part.empty())
      known.emplace_back(takeLast(part));
  for (const ast::Name &name : names) {
    if (rules.used.contains(name.text))
      continue;
    std::string_view words = name.text, last = takeLast(words);
    Diagnostic &report = reporter.error(DiagnosticKind::UnknownName, name.range,
                                        fmt::format("the field `{}` has no {} whose name in checkpoints ends in \"{}\"",
                                                    rules.field->name.text, what, name.text));
    if (std::ranges::find(known, last) != known.end())
      report.hint("an index of a list is \"*\", because its modules are selected together");
    else if (auto meant = nearest(last, known))
      report.hint(fmt::format("did you mean \"{}\"?", *meant));
  }
}

void reportUnused(Reporter &reporter, const PartRules &rules) {
  if (rules.field->wrapping)
    reportUnused(reporter, rules, rules.field->wrapping->names, "module");
  reportUnused(reporter, rules, rules.field->frozenParts, "module or parameter");
}

} // namespace attnc::check
