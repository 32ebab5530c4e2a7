#include "compiler/Diagnostics/Spelling.h"
#include "frontends/attn/Check/Checker.h"
#include "frontends/attn/Check/NumberRange.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <functional>

namespace attnc::check {

using typed::ParameterRef;

//===- Hyperparameters --------------------------------------------------------------------------------------------===//

static std::optional<Value> parseSetting(const std::string &text) {
  if (text == "true" || text == "false")
    return Value(text == "true");
  int64_t integer;
  const char *end = text.data() + text.size();
  auto [rest, failure] = std::from_chars(text.data(), end, integer);
  if (failure == std::errc() && rest == end)
    return Value(Dim(integer));
  double real;
  auto [realRest, realFailure] = std::from_chars(text.data(), end, real);
  if (realFailure == std::errc() && realRest == end)
    return Value(real);
  return std::nullopt;
}

void Checker::applySettings(const ast::ModuleDecl &decl, std::vector<CheckedArgument> &arguments) {
  std::vector<std::string> names;
  for (const ast::Parameter &parameter : decl.parameters)
    names.push_back(parameter.name.text);
  std::map<std::string, std::string> last; // a later setting of a name replaces an earlier one
  for (const auto &[name, text] : options.settings)
    last[name] = text;
  for (const auto &[name, text] : last) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      Diagnostic &report = error(DiagnosticKind::UnknownSetting, decl.name.range,
                                 fmt::format("`{}` has no hyperparameter `{}` to set", decl.name.text, name));
      if (auto meant = nearest(name, names))
        report.hint(fmt::format("did you mean `{}`?", *meant));
      continue;
    }
    std::optional<Value> value = parseSetting(text);
    if (!value)
      error(DiagnosticKind::BadSetting, decl.name.range,
            fmt::format("`{}` is set to `{}`, which is no number, true or false", name, text));
    arguments.push_back({ast::Name{name, decl.name.range}, value.value_or(Value()), decl.name.range});
  }
}

void Checker::bindHyperparameters(Instance &instance, const std::vector<ast::Parameter> &parameters,
                                  std::vector<CheckedArgument> arguments, SourceRange call, const std::string &callee) {
  auto matched = match(parameters, std::move(arguments), call, callee);
  ScopePtr scope = moduleScope({&instance, {}});
  for (size_t i = 0; i < parameters.size(); ++i) {
    const ast::Parameter &parameter = parameters[i];
    Value value;
    if (matched && (*matched)[i])
      value = (*matched)[i]->value;
    else if (matched && parameter.defaultValue)
      value = expression(*parameter.defaultValue, scope);
    if (auto *size = value.as<Dim>())
      value = Value(size->labelled(parameter.name.text));
    if (value.tensor()) {
      error(DiagnosticKind::NotConstant, matched && (*matched)[i] ? (*matched)[i]->range : parameter.range,
            fmt::format("the hyperparameter `{}` must be known when the model is compiled, and is {}",
                        parameter.name.text, describe(value)));
      value = Value();
    }
    instance.members[parameter.name.text] = Binding{value, parameter.name.range};
  }
}

Instance *Checker::instantiateModel(const ast::ModuleDecl &decl, SourceUnit &unit) {
  Instance *model = &instances.emplace_back();
  model->decl = &decl;
  model->unit = &unit;
  std::vector<CheckedArgument> arguments;
  applySettings(decl, arguments);
  program->name = decl.name.text;
  for (const ast::Parameter &parameter : decl.parameters) {
    bool isSet = std::any_of(arguments.begin(), arguments.end(), [&](const CheckedArgument &argument) {
      return argument.label->text == parameter.name.text;
    });
    if (isSet || parameter.defaultValue)
      continue;
    error(DiagnosticKind::ArgumentCount, parameter.range,
          fmt::format("the hyperparameter `{}` of the model has no value", parameter.name.text))
        .hint(fmt::format("give it a default, or `--set {}=...`", parameter.name.text));
    arguments.push_back({parameter.name, Value(), parameter.range});
  }
  bindHyperparameters(*model, decl.parameters, std::move(arguments), decl.name.range, decl.name.text);
  for (const ast::Parameter &parameter : decl.parameters) {
    const Value &value = model->members[parameter.name.text].value;
    std::string text = describe(value);
    if (auto *size = value.as<Dim>())
      text = size->text();
    else if (auto *truth = value.as<bool>())
      text = *truth ? "true" : "false";
    else if (auto *real = value.as<double>())
      text = fmt::format("{}", *real);
    program->hyperparameters.push_back({parameter.name.text, text});
  }
  making.push_back(&decl);
  fillInstance(*model);
  making.pop_back();
  return model;
}

//===- Members ----------------------------------------------------------------------------------------------------===//

ScopePtr Checker::moduleScope(const ModuleValue &self) {
  ScopePtr scope = unitScope(self.instance->unit);
  scope->self = self;
  return scope;
}

Value Checker::withPicks(const Value &member, const std::vector<ParameterRef::Pick> &picks) {
  auto together = [&](std::vector<ParameterRef::Pick> own) {
    std::vector<ParameterRef::Pick> all = picks;
    all.insert(all.end(), own.begin(), own.end());
    return all;
  };
  if (auto *parameter = member.as<ParameterValue>()) {
    const typed::Parameter *it = parameter->parameter;
    for (const Dim &dim : it->type.shape)
      if (dim.is(0)) // not in the program: a tensor without elements
        return TensorValue{build.make(typed::Fill{build.real(0, it->range)}, it->type, it->range)};
    std::vector<ParameterRef::Pick> own(picks.begin(), picks.begin() + static_cast<ptrdiff_t>(it->counts.size()));
    return TensorValue{build.make(ParameterRef{it, std::move(own)}, it->type, it->range)};
  }
  // A field that is another field (tied modules) has picks of its own.
  if (auto *module = member.as<ModuleValue>())
    return module->picks.empty() ? ModuleValue{module->instance, together({})} : *module;
  if (auto *list = member.as<ModuleListValue>())
    return list->picks.empty() ? ModuleListValue{list->instance, list->count, together({})} : *list;
  if (auto *tuple = member.as<TupleValue>()) {
    TupleValue result;
    for (const Value &part : tuple->parts)
      result.parts.push_back(withPicks(part, picks));
    return result;
  }
  return member;
}

bool Checker::fillInstance(Instance &instance) {
  size_t before = errorsFound;
  ScopePtr scope = moduleScope({&instance, {}});
  for (const ast::ConstDecl &decl : instance.decl->constants) {
    Value value = expression(*decl.value, scope);
    if (!value.isError() && !value.isNumber() && !value.as<FunctionValue>() && !value.as<StringValue>()) {
      error(DiagnosticKind::NotConstant, decl.value->range,
            fmt::format("the constant `{}` must be a number, and is {}", decl.name.text, describe(value)));
      value = Value();
    }
    if (auto *size = value.as<Dim>())
      value = Value(size->labelled(decl.name.text));
    instance.members[decl.name.text] = Binding{value, decl.name.range};
  }
  for (const ast::FieldDecl &field : instance.decl->fields)
    addField(instance, field, scope);
  return errorsFound == before;
}

static std::string joined(const std::string &path, const std::string &step) {
  return path.empty() || step.empty() ? path + step : path + "." + step;
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

/// What a field says of the module that it makes would mean nothing of one that is made elsewhere.
void Checker::checkMadeElsewhere(const ast::FieldDecl &field, const Instance &place, const Value &value) {
  forEachModule(value, [&](const Instance &module) {
    if (module.path == place.path || module.path.starts_with(place.path + "."))
      return;
    auto refuse = [&](SourceRange range, const std::string &found, const char *word) {
      error(DiagnosticKind::Misplaced, range,
            fmt::format("the field `{}` is {}, and its module `{}` is made elsewhere", field.name.text, found,
                        module.path))
          .note("it is made", module.field)
          .hint(fmt::format("write `{}` there", word));
    };
    if (place.isFrozen && !module.isFrozen)
      refuse(field.name.range, "frozen", "frozen");
    if (field.checkpoint)
      refuse(field.checkpoint->range, "named for checkpoints", "as");
  });
}

void Checker::addField(Instance &instance, const ast::FieldDecl &field, const ScopePtr &scope) {
  Value value;
  if (field.kind != ast::FieldKind::Module) {
    value = addParameter(instance, field, scope);
  } else {
    Instance place = instance;
    place.members.clear();
    place.field = field.name.range;
    place.isFrozen |= field.isFrozen;
    place.path = joined(instance.path, field.name.text);
    place.checkpoint = field.checkpoint ? field.checkpoint->text : field.name.text;
    value = makeField(*field.value, instance, place, scope);
    if (!value.isError() && !value.as<ModuleValue>() && !value.as<ModuleListValue>() && !value.as<TupleValue>()) {
      error(DiagnosticKind::NotAModule, field.value->range,
            fmt::format("the field `{}` must be a module or a list of modules, and is {}", field.name.text,
                        describe(value)))
          .hint(fmt::format("a number is `const {} = ...`", field.name.text));
      value = Value();
    }
    checkMadeElsewhere(field, place, value);
  }
  instance.members[field.name.text] = Binding{value, field.name.range};
}

// While a field's lists are being made, `place.checkpoint` is the step of this field alone. The index of a list stands
// where `as` says so, or behind the rest.
static void enterList(Instance &place, const std::string &index, bool isUnrolled) {
  std::string hole = fmt::format("{{{}}}", place.listDepth);
  size_t at = place.checkpoint.find(hole);
  if (at == std::string::npos)
    place.checkpoint = joined(place.checkpoint, index);
  for (; at != std::string::npos; at = place.checkpoint.find(hole, at + index.size()))
    place.checkpoint.replace(at, hole.size(), index);
  if (isUnrolled)
    place.path += "." + index;
  ++place.listDepth;
}

Value Checker::makeField(const ast::Expr &value, const Instance &owner, Instance place, const ScopePtr &scope) {
  if (auto *repeat = value.as<ast::ListRepeatExpr>()) {
    std::optional<int64_t> count = constantInteger(*repeat->count, scope, "the length of a list");
    if (!count)
      return Value();
    if (*count < 0 || *count > 100000) {
      error(DiagnosticKind::BadSize, repeat->count->range, fmt::format("a list of {} modules", *count));
      return Value();
    }
    enterList(place, fmt::format("{{{}}}", place.counts.size()), false);
    place.counts.push_back(*count);
    Value element = makeField(*repeat->element, owner, place, scope);
    if (auto *module = element.as<ModuleValue>())
      return ModuleListValue{module->instance, *count, {}};
    if (!element.isError())
      notSupported(repeat->range, "a list of lists that are repeated");
    return Value();
  }
  if (auto *list = value.as<ast::ListExpr>()) {
    TupleValue result;
    for (size_t i = 0; i < list->elements.size(); ++i) {
      Instance part = place;
      enterList(part, std::to_string(i), true);
      result.parts.push_back(makeField(*list->elements[i], owner, part, scope));
    }
    return result;
  }
  if (auto *list = value.as<ast::ListComprehensionExpr>())
    return makeListComprehension(*list, owner, place, scope);
  if (auto *choice = value.as<ast::ConditionalExpr>()) {
    Value condition = expression(*choice->condition, scope);
    if (auto *holds = condition.as<bool>())
      return makeField(*holds ? *choice->thenValue : *choice->elseValue, owner, place, scope);
  }
  if (auto *call = value.as<ast::CallExpr>()) {
    Value callee = expression(*call->callee, scope);
    if (callee.isError())
      return callee;
    if (auto *cls = callee.as<ClassValue>()) {
      place.checkpoint = joined(owner.checkpoint, place.checkpoint);
      return makeModule(*call, *cls, place, scope);
    }
  }
  return expression(value, scope);
}

Value Checker::makeListComprehension(const ast::ListComprehensionExpr &list, const Instance &owner, Instance place,
                                     const ScopePtr &scope) {
  if (!list.iteration.isBelow) {
    notSupported(list.iteration.range, "a list of modules made from a list");
    return Value();
  }
  std::optional<int64_t> count = constantInteger(*list.iteration.source, scope, "the length of a list");
  if (!count)
    return Value();
  if (*count < 0 || *count > 10000) {
    error(DiagnosticKind::BadSize, list.iteration.source->range, fmt::format("a list of {} different modules", *count));
    return Value();
  }
  TupleValue result;
  for (int64_t i = 0; i < *count && !isExhausted; ++i) {
    Instance part = place;
    enterList(part, std::to_string(i), true);
    ScopePtr inner = childOf(scope);
    bindLocal(inner, list.iteration.name, Dim(i).labelled(list.iteration.name.text), false);
    result.parts.push_back(makeField(*list.element, owner, part, inner));
  }
  return result;
}

Value Checker::makeModule(const ast::CallExpr &call, const ClassValue &cls, Instance place, const ScopePtr &scope) {
  if (cls.decl->isModel) {
    error(DiagnosticKind::NotAModule, call.callee->range,
          fmt::format("`{}` is a model; only modules are parts of others", cls.decl->name.text));
    return Value();
  }
  if (std::find(making.begin(), making.end(), cls.decl) != making.end()) {
    error(DiagnosticKind::Recursion, call.range,
          fmt::format("the module `{}` would contain itself", cls.decl->name.text))
        .note("it is declared", cls.decl->name.range);
    return Value();
  }
  std::vector<CheckedArgument> arguments = checkArguments(call, scope);
  if (anyError(arguments))
    return Value();
  Instance *instance = &instances.emplace_back(std::move(place));
  instance->decl = cls.decl;
  instance->unit = cls.unit;
  size_t before = errorsFound;
  making.push_back(cls.decl);
  bindHyperparameters(*instance, cls.decl->parameters, std::move(arguments), call.range, cls.decl->name.text);
  bool isWhole = errorsFound == before && fillInstance(*instance);
  making.pop_back();
  return isWhole ? Value(ModuleValue{instance, {}}) : Value();
}

//===- Parameters -------------------------------------------------------------------------------------------------===//

Value Checker::addParameter(Instance &instance, const ast::FieldDecl &field, const ScopePtr &scope) {
  std::optional<Shape> shape = evaluateShape(*field.type, scope, "the size of a parameter");
  std::optional<typed::Element> element = elementOf(*field.type);
  if (!shape || !element)
    return Value();
  if (*element != typed::Element::F32) {
    notSupported(field.type->range, fmt::format("a parameter of {}", typed::textOf(*element)));
    return Value();
  }
  typed::Initialiser init;
  if (field.value) {
    std::optional<typed::Initialiser> written = initialiser(*field.value, scope);
    if (!written)
      return Value();
    init = *written;
  }
  bool isEmpty = false;
  for (size_t i = 0; i < shape->size(); ++i) {
    const Dim &dim = (*shape)[i];
    isEmpty |= dim.is(0);
    if (dim.isConstant() && dim.constant() >= 0)
      continue;
    error(DiagnosticKind::BadSize, field.type->dimensions[i].range,
          fmt::format("a dimension of the parameter `{}` is {}", field.name.text, dim.text()));
    return Value();
  }
  typed::Parameter parameter;
  parameter.name = joined(instance.path, field.name.text);
  parameter.counts = instance.counts;
  parameter.type = {*element, *shape};
  parameter.initialiser = init;
  parameter.checkpoint = joined(instance.checkpoint, field.checkpoint ? field.checkpoint->text : field.name.text);
  parameter.isUpdated = field.kind == ast::FieldKind::State;
  parameter.frozen = field.isFrozen || instance.isFrozen || parameter.isUpdated;
  for (const ast::Name &tag : field.tags)
    parameter.tags.push_back(tag.text);
  parameter.range = field.name.range;
  program->parameterStore.push_back(std::move(parameter));
  const typed::Parameter *added = &program->parameterStore.back();
  if (isEmpty) // as `bias: f32[if biased then n else 0]`: no parameter at all
    return ParameterValue{added};
  if (added->checkpoint == "__metadata__")
    error(DiagnosticKind::DuplicateCheckpoint, field.name.range,
          "a parameter has the name `__metadata__` in checkpoints, which the file format reserves")
        .hint(fmt::format("give it another name there, as `{}: ... as \"metadata\"`", field.name.text));
  auto [first, isNew] = checkpointNames.emplace(added->checkpoint, field.name.range);
  if (!isNew)
    error(DiagnosticKind::DuplicateCheckpoint, field.name.range,
          fmt::format("two parameters have the name `{}` in checkpoints", added->checkpoint))
        .note("the other is", first->second);
  program->parameters.push_back(added);
  return ParameterValue{added};
}

std::optional<typed::Initialiser> Checker::initialiser(const ast::Expr &expr, const ScopePtr &scope) {
  static const std::map<std::string, std::vector<std::string>> kinds = {
      {"zeros", {}}, {"ones", {}}, {"constant", {"value"}}, {"normal", {"deviation"}}, {"uniform", {"from", "to"}}};
  const ast::CallExpr *call = expr.as<ast::CallExpr>();
  const ast::NameRefExpr *name = (call ? *call->callee : expr).as<ast::NameRefExpr>();
  auto kind = name ? kinds.find(name->name) : kinds.end();
  auto refuse = [&](SourceRange range) -> std::optional<typed::Initialiser> {
    error(DiagnosticKind::BadInitialiser, range, "a parameter cannot start like this")
        .hint("`zeros`, `ones`, `constant(value)`, `normal(deviation)`, `uniform(from, to)`, or a number");
    return std::nullopt;
  };
  auto fits = [&](double number, SourceRange range) {
    if (isBeyondF32(number))
      error(DiagnosticKind::BadNumber, range, beyondF32(number)).hint(infinityHint);
    return !isBeyondF32(number);
  };
  if (kind == kinds.end()) {
    if (name && !find(scope, name->name))
      return refuse(name->range);
    Value value = expression(expr, scope);
    if (value.isError())
      return std::nullopt;
    if (std::optional<double> real = value.real())
      return fits(*real, expr.range) ? std::optional(typed::Initialiser{"constant", *real, 0}) : std::nullopt;
    return refuse(expr.range);
  }
  size_t given = call ? call->arguments.size() : 0;
  if (given != kind->second.size())
    return refuse(expr.range);
  std::vector<double> numbers;
  for (size_t i = 0; i < given; ++i) {
    Value value = expression(*call->arguments[i].value, scope);
    std::optional<double> real = value.real();
    if (!real && value.isError())
      return std::nullopt;
    if (!real)
      return refuse(call->arguments[i].range);
    if (!fits(*real, call->arguments[i].range))
      return std::nullopt;
    numbers.push_back(*real);
  }
  if (kind->first == "normal")
    return typed::Initialiser{"normal", 0, numbers[0]};
  numbers.resize(2);
  return typed::Initialiser{kind->first, numbers[0], numbers[1]};
}

} // namespace attnc::check
