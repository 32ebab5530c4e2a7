#include "frontends/attn/Check/Types/DeclaredTypes.h"

#include "compiler/Diagnostics/Spelling.h"

#include <algorithm>
#include <fmt/format.h>

namespace attnc::check {

static bool differInDigitsOnly(const std::string &a, const std::string &b) {
  auto letters = [](std::string word) {
    word.erase(std::remove_if(word.begin(), word.end(), [](unsigned char c) { return std::isdigit(c); }), word.end());
    return word;
  };
  return letters(a) == letters(b);
}

void warnNearMiss(Reporter &reporter, const ast::FunctionDecl &decl, const Scope &scope) {
  std::map<std::string, std::vector<SourceRange>> uses;
  auto addType = [&](const ast::TensorType &type) {
    for (const ast::Dimension &dimension : type.dimensions)
      if (auto *ref = dimension.isRest ? nullptr : dimension.size->as<ast::NameRefExpr>())
        uses[ref->name].push_back(ref->range);
  };
  for (const ast::Parameter &parameter : decl.parameters)
    if (parameter.type)
      addType(*parameter.type);
  for (const ast::Result &result : decl.results)
    addType(result.type);
  for (const auto &[name, places] : uses) {
    auto binding = scope.names.find(name);
    if (places.size() > 1 || binding == scope.names.end() || !binding->second.isDimension)
      continue;
    std::vector<std::string> others;
    for (const auto &[other, otherPlaces] : uses)
      others.push_back(other);
    if (scope.self.instance)
      for (const auto &[member, memberBinding] : scope.self.instance->members)
        if (memberBinding.value.as<Dim>())
          others.push_back(member);
    for (const std::string &other : others)
      if (other != name && other[0] == name[0] && name.size() > 2 && editDistance(name, other, 1) == 1 &&
          !differInDigitsOnly(name, other)) {
        reporter
            .warning(DiagnosticKind::NearMissDimension, places[0],
                     fmt::format("the dimension `{}` is new here, and similar to `{}`", name, other))
            .hint(fmt::format("did you mean `{}`?", other));
        break;
      }
  }
}

} // namespace attnc::check
