#include "frontends/attn/Check/Print.h"

#include <fmt/format.h>
#include <map>

namespace attnc::typed {

namespace {

class Printer {
public:
  std::string program(const Program &program);

private:
  void entry(const Entry &entry);
  void block(const Block &block, int indent);
  void statement(const Let &let, int indent);
  void statement(const Loop &loop, int indent);
  void statement(const Scan &scan, int indent);
  void statement(const DecoderCall &call, int indent);
  void iterations(const Loop &loop, int indent);
  std::string stackedPlace(const Loop::Stacked &stacked, const LoopCounter *counter);
  std::string expr(ExprRef expr);
  std::string list(const std::vector<ExprRef> &exprs);
  std::string attend(const Attend &attend);
  std::string name(const Local *local) { return unique(local, local->name.empty() ? "t" : local->name); }
  std::string name(const Index *index) { return unique(index, index->name); }
  std::string name(const LoopCounter *counter) { return unique(counter, counter->name); }
  /// Returns the name in the program, with a number if several objects have it.
  std::string unique(const void *thing, const std::string &name);
  std::string binders(const std::vector<const Index *> &indices);
  static std::string number(const Constant &constant, Element element);

  std::string out;
  std::map<const void *, std::string> names;
  std::map<std::string, int> counts;
};

std::string Printer::unique(const void *thing, const std::string &name) {
  auto known = names.find(thing);
  if (known != names.end())
    return known->second;
  int count = counts[name]++;
  return names[thing] = count == 0 ? name : fmt::format("{}.{}", name, count);
}

std::string Printer::number(const Constant &constant, Element element) {
  if (element == Element::Bool)
    return constant.integer ? "true" : "false";
  if (element != Element::F32)
    return std::to_string(constant.integer);
  std::string text = fmt::format("{}", constant.real);
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

std::string Printer::binders(const std::vector<const Index *> &indices) {
  std::string text;
  for (const Index *index : indices)
    text += fmt::format("{}{} < {}", text.empty() ? "" : ", ", name(index), index->extent.text());
  return text;
}

std::string Printer::list(const std::vector<ExprRef> &exprs) {
  std::string text;
  for (ExprRef expr : exprs)
    text += (text.empty() ? "" : ", ") + this->expr(expr);
  return text;
}

std::string Printer::attend(const Attend &attend) {
  std::string text =
      fmt::format("[{}] => attend {} {{ score: {}", binders(attend.outer), binders(attend.keys), expr(attend.score));
  if (attend.mask)
    text += ", mask: " + expr(attend.mask);
  if (attend.normaliser != Normaliser::Softmax)
    text += fmt::format(", by: {}", textOf(attend.normaliser));
  if (attend.normaliser == Normaliser::Entmax)
    text += fmt::format("({})", attend.alpha);
  if (attend.sink)
    text += fmt::format(", by: softmax(sink: {})", expr(attend.sink));
  if (attend.weight)
    text += fmt::format(", weight: {} => {}", name(attend.weightIn), expr(attend.weight));
  if (attend.value)
    text += fmt::format(", value: [{}] => {}", binders(attend.values), expr(attend.value));
  return text + " }";
}

std::string Printer::expr(ExprRef e) {
  std::string type = textOf(e->type);
  if (auto *node = e->as<Constant>())
    return number(*node, e->type.element);
  if (auto *node = e->as<DimValue>())
    return node->dim.text();
  if (auto *node = e->as<StepRef>())
    return name(node->counter);
  if (auto *node = e->as<LocalRef>())
    return name(node->local);
  if (auto *node = e->as<ParameterRef>()) {
    std::string text = "@" + node->parameter->name;
    for (const ParameterRef::Pick &pick : node->picks)
      text += fmt::format("[{}]", pick.counter ? name(pick.counter) : std::to_string(pick.constant));
    return text;
  }
  if (auto *node = e->as<Elementwise>())
    return fmt::format("{}({})", textOf(node->op), list(node->operands));
  if (auto *node = e->as<Cast>())
    return fmt::format("{}({})", textOf(e->type.element), expr(node->operand));
  if (auto *node = e->as<AxisReduction>())
    return fmt::format("reduce {} {} axes [{}]", textOf(node->combiner), expr(node->source),
                       fmt::join(node->axes, ", "));
  if (auto *node = e->as<MatMul>())
    return fmt::format("matmul({}, {})", expr(node->a), expr(node->b));
  if (auto *node = e->as<Permute>())
    return fmt::format("permute({}, [{}])", expr(node->source), fmt::join(node->permutation, ", "));
  if (auto *node = e->as<Reshape>())
    return fmt::format("reshape({}, {})", expr(node->source), textOf(e->type.shape));
  if (auto *node = e->as<Slice>())
    return fmt::format("slice({}, from {}, {})", expr(node->source), textOf(node->offsets), textOf(e->type.shape));
  if (auto *node = e->as<Concat>())
    return fmt::format("concat({}, axis: {})", list(node->parts), node->axis);
  if (auto *node = e->as<Fill>())
    return fmt::format("fill({}, {})", expr(node->value), textOf(e->type.shape));
  if (auto *node = e->as<Variable>())
    return fmt::format("variable({})", expr(node->source));
  if (auto *node = e->as<Gradient>())
    return fmt::format("gradient({}, of {})", expr(node->value), expr(node->variable));
  if (auto *node = e->as<Comprehension>())
    return fmt::format("[{}] => {}", binders(node->indices), expr(node->body));
  if (auto *node = e->as<Attend>())
    return attend(*node);
  if (auto *node = e->as<IndexRef>())
    return name(node->index);
  if (auto *node = e->as<Subscript>()) {
    std::string text = expr(node->base) + "[";
    for (size_t i = 0; i < node->indices.size(); ++i)
      text += (i > 0 ? ", " : "") + expr(node->indices[i]) + (node->inRange[i] == InRange::Runtime ? "?" : "");
    return text + "]";
  }
  if (auto *node = e->as<Draw>())
    return fmt::format("draw {}[{}]", node->site, list(node->element));
  auto *node = e->as<IndexReduction>();
  std::string filter = node->filter ? fmt::format(" where {}", expr(node->filter)) : "";
  return fmt::format("{} {}{} => {}", textOf(node->combiner), binders(node->indices), filter, expr(node->body));
}

void Printer::statement(const Let &let, int indent) {
  std::string names;
  for (const Local *local : let.locals)
    names += fmt::format("{}{}: {}", names.empty() ? "" : ", ", name(local), textOf(local->type));
  out += fmt::format("{:{}}let {} = {}\n", "", indent, names, expr(let.value));
}

void Printer::statement(const Loop &loop, int indent) {
  out += fmt::format("{:{}}for {} < {}", "", indent, name(loop.counter), loop.counter->count.text());
  iterations(loop, indent);
}

void Printer::statement(const Scan &scan, int indent) {
  out += fmt::format("{:{}}scan {} over {}{}", "", indent, name(scan.counter), scan.counter->count.text(),
                     scan.backward ? " backward" : "");
  iterations(scan, indent);
}

/// Prints everything after the head of a loop.
void Printer::iterations(const Loop &loop, int indent) {
  for (const Loop::Carried &each : loop.carried)
    out += fmt::format(" carry ({}: {} = {})", name(each.argument), textOf(each.argument->type), expr(each.initial));
  out += " {\n";
  block(*loop.body, indent + 2);
  for (const Loop::Stacked &each : loop.stacked)
    out += fmt::format("{:{}}{} = {}\n", "", indent + 2, stackedPlace(each, loop.counter), expr(each.value));
  for (const Loop::Carried &each : loop.carried)
    out += fmt::format("{:{}}next {} = {}\n", "", indent + 2, name(each.argument), expr(each.next));
  out += fmt::format("{:{}}}}", "", indent);
  for (const Loop::Stacked &each : loop.stacked)
    out += fmt::format(" -> {}", name(each.result));
  for (const Loop::Carried &each : loop.carried)
    out += fmt::format(" -> {}", name(each.result));
  out += "\n";
}

void Printer::statement(const DecoderCall &call, int indent) {
  out += fmt::format("{:{}}call {}(", "", indent, call.entry);
  for (const DecoderCall::Argument &argument : call.arguments)
    out +=
        fmt::format("{}{}: {}", &argument == &call.arguments.front() ? "" : ", ", argument.name, expr(argument.value));
  out += fmt::format(") -> {}: {}, {}: {}\n", name(call.tokens), textOf(call.tokens->type), name(call.length),
                     textOf(call.length->type));
}

/// Returns "ys[:, t]".
std::string Printer::stackedPlace(const Loop::Stacked &stacked, const LoopCounter *counter) {
  std::string before;
  for (unsigned dimension = 0; dimension < stacked.axis; ++dimension)
    before += ":, ";
  return fmt::format("{}[{}{}]", name(stacked.result), before, name(counter));
}

void Printer::block(const Block &block, int indent) {
  for (const Statement &statement : block.statements)
    std::visit([&](const auto &it) { this->statement(it, indent); }, statement);
}

void Printer::entry(const Entry &entry) {
  out += fmt::format("entry {}(", entry.name);
  for (const Local *argument : entry.arguments)
    out += fmt::format("{}{}: {}", argument == entry.arguments.front() ? "" : ", ", name(argument),
                       textOf(argument->type));
  out += ")";
  for (const Dimension &dimension : entry.dimensions)
    out += fmt::format(" {}{}{}", dimension.min > 0 ? fmt::format("{} <= ", dimension.min) : "", dimension.name,
                       dimension.max >= 0 ? fmt::format(" <= {}", dimension.max) : "");
  out += " {\n";
  block(entry.block, 2);
  for (const Result &result : entry.results)
    out += fmt::format("  return {}: {} = {}\n", result.name, textOf(result.value->type), expr(result.value));
  for (const StateUpdate &update : entry.updates)
    out += fmt::format("  update @{} = {}\n", update.parameter->name, expr(update.value));
  out += "}\n";
}

std::string Printer::program(const Program &program) {
  if (!program.name.empty())
    out += fmt::format("model {}\n", program.name);
  for (const Hyperparameter &hyperparameter : program.hyperparameters)
    out += fmt::format("set {} = {}\n", hyperparameter.name, hyperparameter.value);
  for (const Parameter *parameter : program.parameters) {
    out += fmt::format("parameter {}", parameter->name);
    for (int64_t count : parameter->counts)
      out += fmt::format("[{}]", count);
    out += fmt::format(": {} = {}({}, {}) as \"{}\"{}\n", textOf(parameter->type), parameter->initialiser.kind,
                       parameter->initialiser.a, parameter->initialiser.b, parameter->checkpoint,
                       parameter->frozen ? " frozen" : "");
  }
  for (const Entry &entry : program.entries) {
    names.clear();
    counts.clear();
    this->entry(entry);
  }
  return out;
}

} // namespace

std::string print(const Program &program) { return Printer().program(program); }

} // namespace attnc::typed
