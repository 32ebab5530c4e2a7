#include "frontends/attn/Check/Modules/Modules.h"

#include "frontends/attn/Check/Builtin.h"
#include "frontends/attn/Check/Constants.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>

namespace attnc::check {

Instance &Modules::addInstance(const ast::ModuleDecl &decl, SourceUnit &unit) {
  Instance &instance = instances.emplace_back();
  instance.decl = &decl;
  instance.unit = &unit;
  return instance;
}

/// Returns a hyperparameter's value as text.
static std::string settingOf(const Value &value) {
  if (auto *size = value.as<Dim>())
    return size->text();
  if (auto *truth = value.as<bool>())
    return *truth ? "true" : "false";
  if (auto *real = value.as<double>())
    return fmt::format("{}", *real);
  if (auto *function = value.as<FunctionValue>(); function && function->decl->name)
    return function->decl->name->text;
  if (auto *builtin = value.as<BuiltinValue>())
    return builtin->builtin->name;
  if (auto *cls = value.as<ClassValue>())
    return cls->decl->name.text;
  return describe(value);
}

Instance *Modules::instantiateModel(const ast::ModuleDecl &decl, SourceUnit &unit, const Settings &settings) {
  Instance &model = addInstance(decl, unit);
  program.name = decl.name.text;
  bindHyperparameters(reporter, scopes, expressions, model, decl.parameters,
                      modelArguments(reporter, names, scopes.unitScope(&unit), decl, settings), decl.name.range,
                      decl.name.text);
  for (const ast::Parameter &parameter : decl.parameters)
    program.hyperparameters.push_back({parameter.name.text, settingOf(model.members[parameter.name.text].value)});
  beingFilled.push_back(&decl);
  fill(model);
  beingFilled.pop_back();
  return &model;
}

void Modules::instantiateAlone(const ast::ModuleDecl &decl, SourceUnit &unit) {
  Instance &instance = addInstance(decl, unit);
  instance.path = instance.checkpoint = decl.name.text;
  beingFilled.push_back(&decl);
  bindHyperparameters(reporter, scopes, expressions, instance, decl.parameters, {}, decl.name.range, decl.name.text);
  parameters.addTemporarily([&] { fill(instance); });
  beingFilled.pop_back();
}

Value Modules::instantiate(const ast::CallExpr &call, const ClassValue &cls, Instance place, Scope &scope,
                           std::vector<CheckedArgument> first) {
  if (cls.decl->isModel) {
    reporter.error(DiagnosticKind::NotAModule, call.callee->range,
                   fmt::format("`{}` is a model; only modules are parts of others", cls.decl->name.text));
    return Value();
  }
  if (std::find(beingFilled.begin(), beingFilled.end(), cls.decl) != beingFilled.end()) {
    reporter
        .error(DiagnosticKind::Recursion, call.range,
               fmt::format("the module `{}` would contain itself", cls.decl->name.text))
        .note("it is declared", cls.decl->name.range);
    return Value();
  }
  std::vector<CheckedArgument> arguments = checkArguments(expressions, call, scope);
  if (anyError(arguments))
    return Value();
  arguments.insert(arguments.begin(), first.begin(), first.end());
  place.decl = cls.decl;
  place.unit = cls.unit;
  Instance &instance = instances.emplace_back(std::move(place));
  size_t before = reporter.errorCount();
  beingFilled.push_back(cls.decl);
  bindHyperparameters(reporter, scopes, expressions, instance, cls.decl->parameters, std::move(arguments), call.range,
                      cls.decl->name.text);
  bool isWhole = reporter.errorCount() == before && fill(instance);
  beingFilled.pop_back();
  return isWhole ? Value(ModuleValue{&instance, {}}) : Value();
}

bool Modules::fill(Instance &instance) {
  size_t before = reporter.errorCount();
  Scope &scope = scopes.moduleScope({&instance, {}});
  for (const ast::ConstDecl &decl : instance.decl->constants) {
    Value value = expressions.check(*decl.value, scope);
    if (!value.isError() && !value.isNumber() && !value.as<FunctionValue>() && !value.as<StringValue>()) {
      reporter.error(DiagnosticKind::NotConstant, decl.value->range,
                     fmt::format("the constant `{}` must be a number, but is {}", decl.name.text, describe(value)));
      value = Value();
    }
    if (auto *size = value.as<Dim>())
      value = Value(size->labelled(decl.name.text));
    instance.members[decl.name.text] = Binding{value, decl.name.range};
  }
  for (const ast::FieldDecl &field : instance.decl->fields)
    addField(instance, field, scope);
  return reporter.errorCount() == before;
}

static void forEachModule(const Value &value, const std::function<void(const Instance &)> &visit) {
  if (auto *module = value.as<ModuleValue>())
    visit(*module->instance);
  if (auto *list = value.as<ModuleListValue>())
    visit(*list->instance);
  if (auto *tuple = value.as<TupleValue>())
    for (const Value &part : tuple->parts)
      forEachModule(part, visit);
}

/// `frozen` and `as` of the field have no effect on a module that another field instantiates.
void Modules::checkMadeElsewhere(const ast::FieldDecl &field, const Instance &place, const Value &value) {
  forEachModule(value, [&](const Instance &module) {
    if (module.path == place.path || module.path.starts_with(place.path + "."))
      return;
    auto refuse = [&](SourceRange range, const std::string &found, const char *word) {
      reporter
          .error(DiagnosticKind::Misplaced, range,
                 fmt::format("the field `{}` is {}, and its module `{}` is created elsewhere", field.name.text, found,
                             module.path))
          .note("it is created", module.field)
          .hint(fmt::format("write `{}` there", word));
    };
    if (place.isFrozen && !module.isFrozen)
      refuse(field.name.range, "frozen", "frozen");
    if (field.checkpoint)
      refuse(field.checkpoint->range, "named for checkpoints", "as");
  });
}

void Modules::addRules(Instance &place, const ast::FieldDecl &field, const Instance &owner, Scope &scope) {
  if (field.wrapping || !field.frozenParts.empty())
    place.rules = &rules.emplace_back(PartRules{&field, &scope, owner.isFrozen, owner.rules});
}

Value Modules::instantiatePart(const ast::CallExpr &call, const ClassValue &cls, Instance place, Scope &scope) {
  place.isFrozen |= isFrozenByRule(place.rules, place.checkpoint);
  PartRules *wrapping = rulesWithModule(place.rules, place.checkpoint);
  return wrapping ? wrap(*wrapping, call, cls, std::move(place), scope) : instantiate(call, cls, place, scope);
}

Value Modules::wrap(PartRules &rules, const ast::CallExpr &call, const ClassValue &cls, Instance place, Scope &scope) {
  const ast::Expr &around = *rules.field->wrapping->module;
  auto *wrapperCall = around.as<ast::CallExpr>();
  Value callee = expressions.check(wrapperCall ? *wrapperCall->callee : around, *rules.scope);
  auto *wrapper = callee.as<ClassValue>();
  if (callee.isError())
    return Value();
  if (!wrapper || !wrapperCall || wrapper->decl->parameters.empty()) {
    reporter
        .error(DiagnosticKind::NotAModule, around.range,
               "`with` needs a module with its hyperparameters, the first of which is the module that it is put around")
        .hint("`with adapters.LoRA(8) at \"q_proj\"`, where `module LoRA(base, rank)` has no argument for `base`");
    return Value();
  }
  Instance inner = place;
  inner.path = joinedPath(place.path, wrapper->decl->parameters.front().name.text);
  Value base = instantiate(call, cls, std::move(inner), scope);
  if (base.isError())
    return base;
  place.isFrozen = rules.isOwnerFrozen;
  place.rules = nullptr;
  std::string name = place.checkpoint;
  Value whole = instantiate(*wrapperCall, *wrapper, std::move(place), *rules.scope, {{std::nullopt, base, call.range}});
  if (whole.isError())
    reporter
        .error(DiagnosticKind::NotAModule, around.range,
               fmt::format("`{}` cannot be put around \"{}\", a module `{}`", wrapper->decl->name.text, name,
                           cls.decl->name.text))
        .note("it is declared", wrapper->decl->name.range);
  return whole;
}

void Modules::addField(Instance &instance, const ast::FieldDecl &field, Scope &scope) {
  Value value;
  if (field.kind != ast::FieldKind::Module) {
    value = parameters.add(instance, field, scope);
    if (field.wrapping || !field.frozenParts.empty())
      reporter.error(DiagnosticKind::Misplaced, field.name.range,
                     fmt::format("the field `{}` is a parameter, which has no parts", field.name.text));
  } else {
    Instance place = instance;
    place.members.clear();
    place.field = field.name.range;
    place.isFrozen |= field.isFrozen;
    place.path = joinedPath(instance.path, field.name.text);
    place.checkpoint = field.checkpoint ? field.checkpoint->text : field.name.text;
    addRules(place, field, instance, scope);
    value = fieldValue(*field.value, instance, place, scope);
    if (!value.isError() && !value.as<ModuleValue>() && !value.as<ModuleListValue>() && !value.as<TupleValue>()) {
      reporter
          .error(DiagnosticKind::NotAModule, field.value->range,
                 fmt::format("the field `{}` must be a module or a list of modules, but is {}", field.name.text,
                             describe(value)))
          .hint(fmt::format("a number is `const {} = ...`", field.name.text));
      value = Value();
    }
    checkMadeElsewhere(field, place, value);
    if (place.rules != instance.rules && !value.isError())
      reportUnused(reporter, *place.rules);
  }
  instance.members[field.name.text] = Binding{value, field.name.range};
}

Value Modules::repeatedList(const ast::ListRepeatExpr &repeat, const Instance &owner, Instance place, Scope &scope) {
  std::optional<int64_t> count = constantInteger(reporter, expressions, *repeat.count, scope, "the length of a list");
  if (!count)
    return Value();
  if (*count < 0 || *count > 100000) {
    reporter.error(DiagnosticKind::BadSize, repeat.count->range, fmt::format("a list of {} modules", *count));
    return Value();
  }
  bool isStacked = stacked.contains(place.field);
  if (isStacked && place.stacked)
    return reporter.notSupported(repeat.range, "a list that data subscripts in another one");
  place.lists.push_back({isStacked ? ListIndex::Stacked : ListIndex::Equal, int64_t(place.counts.size())});
  if (isStacked)
    place.stacked = *count;
  else
    place.counts.push_back(*count);
  Value element = fieldValue(*repeat.element, owner, place, scope);
  if (auto *module = element.as<ModuleValue>())
    return ModuleListValue{module->instance, *count, {}, isStacked};
  if (!element.isError())
    reporter.notSupported(repeat.range, "a list of lists that are repeated");
  return Value();
}

/// Makes `place` an element of a list of different modules.
static void enterList(Instance &place, int64_t index) {
  place.lists.push_back({ListIndex::Constant, index});
  place.path += "." + std::to_string(index);
}

Value Modules::listComprehension(const ast::ListComprehensionExpr &list, const Instance &owner, Instance place,
                                 Scope &scope) {
  if (!list.iteration.isBelow) {
    reporter.notSupported(list.iteration.range, "a list of modules made from a list");
    return Value();
  }
  std::optional<int64_t> count =
      constantInteger(reporter, expressions, *list.iteration.source, scope, "the length of a list");
  if (!count)
    return Value();
  if (*count < 0 || *count > 10000) {
    reporter.error(DiagnosticKind::BadSize, list.iteration.source->range,
                   fmt::format("a list of {} different modules", *count));
    return Value();
  }
  TupleValue result;
  for (int64_t i = 0; i < *count && !reporter.hasStopped(); ++i) {
    Instance part = place;
    enterList(part, i);
    Scope &inner = scopes.childOf(scope);
    scopes.bindLocal(inner, list.iteration.name, Dim(i).labelled(list.iteration.name.text), false);
    result.parts.push_back(fieldValue(*list.element, owner, part, inner));
  }
  return result;
}

Value Modules::fieldValue(const ast::Expr &value, const Instance &owner, Instance place, Scope &scope) {
  if (auto *repeat = value.as<ast::ListRepeatExpr>())
    return repeatedList(*repeat, owner, place, scope);
  if (auto *list = value.as<ast::ListExpr>()) {
    TupleValue result;
    for (size_t i = 0; i < list->elements.size(); ++i) {
      Instance part = place;
      enterList(part, i);
      result.parts.push_back(fieldValue(*list->elements[i], owner, part, scope));
    }
    return result;
  }
  if (auto *list = value.as<ast::ListComprehensionExpr>())
    return listComprehension(*list, owner, place, scope);
  if (auto *choice = value.as<ast::ConditionalExpr>()) {
    Value condition = expressions.check(*choice->condition, scope);
    if (auto *holds = condition.as<bool>())
      return fieldValue(*holds ? *choice->thenValue : *choice->elseValue, owner, place, scope);
  }
  if (auto *call = value.as<ast::CallExpr>()) {
    Value callee = expressions.check(*call->callee, scope);
    if (callee.isError())
      return callee;
    if (auto *cls = callee.as<ClassValue>()) {
      place.checkpoint = parameters.checkpointPath(owner, place.checkpoint, place.field, place.lists, scope);
      return instantiatePart(*call, *cls, place, scope);
    }
  }
  return expressions.check(value, scope);
}

} // namespace attnc::check
