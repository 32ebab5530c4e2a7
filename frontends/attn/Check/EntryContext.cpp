#include "frontends/attn/Check/EntryContext.h"

#include <algorithm>

namespace attnc::check {

using namespace typed;

/// True if a value is the parameter or state, or a module that contains it.
static bool names(const Value &value, const Parameter &parameter) {
  auto *module = value.as<ModuleValue>();
  auto *list = value.as<ModuleListValue>();
  if (auto *tuple = value.as<TupleValue>())
    return std::any_of(tuple->parts.begin(), tuple->parts.end(),
                       [&](const Value &part) { return names(part, parameter); });
  if (auto *tensor = value.tensor())
    return tensor->as<ParameterRef>() && tensor->as<ParameterRef>()->parameter == &parameter;
  const Instance *instance = module ? module->instance : list ? list->instance : nullptr;
  return instance && parameter.name.starts_with(instance->path + ".");
}

bool isMinimizedOver(const EntryContext &context, const Parameter &parameter) {
  return !context.minimizedOver || names(*context.minimizedOver, parameter);
}

} // namespace attnc::check
