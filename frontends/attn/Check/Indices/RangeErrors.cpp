#include "frontends/attn/Check/Indices/RangeErrors.h"

#include <fmt/format.h>

namespace attnc::check {

using namespace typed;

void reportOutOfRange(Reporter &reporter, IndexScopes &scopes, const Obligation &obligation, const Verdict &verdict) {
  const Subscript &node = *obligation.subscript->as<Subscript>();
  const char *side = verdict.lower == Side::Failed ? "be less than 0" : "reach the end";
  Diagnostic &report =
      reporter.error(DiagnosticKind::OutOfRange, obligation.range,
                     fmt::format("this subscript may {}: the dimension's size is {}", side, obligation.extent.text()));
  report.label(obligation.baseRange, textOf(node.base->type));
  if (auto *ref = node.indices[obligation.position]->as<IndexRef>()) {
    report.label(scopes.boundBy(ref->index),
                 fmt::format("`{}` is less than {}", ref->index->name, ref->index->extent.text()));
    return;
  }
  report.hint("a condition around it that keeps it in range is enough: `if s >= 1 then a[s - 1] else 0`");
}

} // namespace attnc::check
