#include "frontends/attn/Check/Indices/IndexScopes.h"

#include <algorithm>
#include <fmt/format.h>

namespace attnc::check {

using namespace typed;

bool IndexScopes::open(const std::vector<ast::Binder> &binders, Scope &scope, std::vector<Index *> &indices) {
  bool isWhole = true;
  for (const ast::Binder &binder : binders) {
    if (binder.isRest) {
      if (rests.count(&scope)) {
        reporter.error(DiagnosticKind::Misplaced, binder.range, "`..` may appear only once among the indices");
        return false;
      }
      rests[&scope] = std::make_shared<RestState>();
      rests[&scope]->range = binder.range;
      indices.push_back(nullptr);
      continue;
    }
    Index *index = build.newIndex(binder.name.text, binder.name.range);
    indices.push_back(index);
    extents.try_emplace(index);
    if (binder.bound) {
      Value bound = expressions.check(*binder.bound, *scope.parent);
      if (auto *size = bound.as<Dim>(); size && !(size->isConstant() && size->constant() < 0)) {
        bounds.requireSize(*size);
        giveExtent(index, *size, binder.range);
      } else {
        if (!bound.isError())
          reporter
              .error(DiagnosticKind::BadRange, binder.bound->range,
                     fmt::format("the range of `{}` must be a size, but is {}", binder.name.text,
                                 size ? size->text() : describe(bound)))
              .hint(
                  fmt::format("let `{}` run over the whole range, and select by `where` or a mask", binder.name.text));
        isWhole = false;
      }
    }
    scopes.bindLocal(scope, binder.name, TensorValue{build.reference(index, binder.name.range)}, false);
  }
  return isWhole;
}

void IndexScopes::giveExtent(Index *index, const Dim &extent, SourceRange range) {
  if (!canHaveSize(extent))
    reporter.tooLarge(range, fmt::format("the range of `{}`", index->name), extent.text());
  index->extent = extent;
  extents[index] = {true, range};
}

bool IndexScopes::close(Scope &scope, std::vector<Index *> &indices) {
  auto rest = rests.find(&scope);
  if (rest != rests.end()) {
    auto state = rest->second;
    rests.erase(rest);
    if (!state->isKnown) {
      reporter.error(DiagnosticKind::UnknownRange, state->range,
                     "`..` subscripts nothing, so its indices are not known");
      return false;
    }
    auto place = indices.erase(std::find(indices.begin(), indices.end(), nullptr));
    indices.insert(place, state->indices.begin(), state->indices.end());
  }
  bool isWhole = true;
  for (Index *index : indices)
    if (!hasExtent(index)) {
      reporter
          .error(DiagnosticKind::UnknownRange, index->range,
                 fmt::format("the range of `{}` is not known: it is never a subscript by itself", index->name))
          .hint(fmt::format("write it: `{} < n`", index->name));
      isWhole = false;
    }
  return isWhole;
}

IndexScopes::RestState *IndexScopes::restAround(Scope &scope) {
  for (Scope *at = &scope; at && !at->isFunction; at = at->parent) {
    auto found = rests.find(at);
    if (found != rests.end())
      return found->second.get();
  }
  return nullptr;
}

bool IndexScopes::hasExtent(const Index *index) const {
  auto found = extents.find(index);
  return found != extents.end() && found->second.isKnown;
}

bool IndexScopes::isComplete(const Index *index) const {
  auto found = extents.find(index);
  return found == extents.end() || found->second.isKnown;
}

} // namespace attnc::check
