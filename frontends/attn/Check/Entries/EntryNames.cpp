#include "frontends/attn/Check/Entries/Entries.h"

#include <algorithm>
#include <fmt/format.h>

namespace attnc::check {

using namespace typed;

void checkEntryNames(Reporter &reporter, const Program &program) {
  for (const Entry &entry : program.entries) {
    std::string_view name = entry.name;
    bool isOfModel = name == "model" || name == "prepare" || name == "prepare_arena_bytes";
    auto other = std::find_if(program.entries.begin(), program.entries.end(), [&](const Entry &each) {
      bool isOfStates = name == each.name + "_truncate" || name == each.name + "_reorder";
      return name == each.name + "_run" || name == each.name + "_arena_bytes" || (isOfStates && !each.along.empty());
    });
    if (!isOfModel && other == program.entries.end())
      continue;
    Diagnostic &report = reporter.error(
        DiagnosticKind::NotAnEntry, entry.range,
        isOfModel ? fmt::format("no entry point can have the name `{}`: the description of the model has it", name)
                  : fmt::format("no entry point can have the name `{}` beside `{}`: a function that belongs to "
                                "that one has it",
                                name, other->name));
    if (!isOfModel)
      report.note(fmt::format("`{}` is", other->name), other->range);
    report.hint(fmt::format("`export g = {}` gives it another name", name));
  }
}

} // namespace attnc::check
