#include "tests/programs/RandomProgram.h"
#include "tests/programs/Formulas.h"
#include <fmt/ranges.h>

namespace attnc::programs {

namespace {

using Dimensions = std::vector<std::string>;

/// A module that maps last dimension `from` to `to`; a list applies its modules in order, where `from` equals `to`.
struct Module {
  std::string name, from, to;
  bool isList = false;
  bool takesRows = false; ///< accepts matrices only
};

class ProgramDrawer {
public:
  explicit ProgramDrawer(uint64_t number) : formulas("program" + std::to_string(number)), random(formulas.random) {}

  RandomProgram draw();

private:
  void drawParameters();
  void drawFields();
  void drawModule();
  void drawFunction();
  void drawDecoder();
  void drawTraining();
  void drawSizes();
  void drawOptions();
  std::string schedule();

  void statement();
  std::string map();
  std::string attend();
  std::string attendBody(const Index &key);
  void bindStatistic(const std::string &name, const Dimensions &dimensions, const std::string &row, const Index &key,
                     const std::string &text);
  std::string scan();
  std::string decoderScan(const std::string &from);
  std::string until(const std::string &steps, const Dimensions &carried);
  std::string bindScan(const std::string &name, const std::string &text, const Dimensions &carried,
                       const Dimensions &dimensions, const std::string &step, const std::string &steps);
  bool call(const Module &module, const std::string &name);
  std::string whole();
  std::string subscripts();
  std::string product();
  std::string total();
  Index outer(Dimensions &dimensions);

  void bind(const std::string &name, Dimensions dimensions, const std::string &value, const std::string &below = "") {
    body += fmt::format("  {}let {} = {}\n", isModel ? "  " : "", name, value);
    formulas.tensors.push_back({name, std::move(dimensions), below});
  }
  std::string pick(std::initializer_list<const char *> from) { return formulas.pick(from); }
  bool oneOf(int64_t count) { return formulas.oneOf(count); }
  /// Returns a number or a name: any name for parameters, which bind it, and afterwards a bound name.
  std::string dimension() {
    static const Dimensions names = {"b", "n", "m", "n", "m"}, numbers = {"1", "3", "4", "4"};
    if (oneOf(3) || (areBound && bound.empty()))
      return formulas.pick(numbers);
    return formulas.pick(areBound ? bound : names);
  }

  Formulas formulas;
  e2e::Random &random;
  RandomProgram program;
  bool isModel = false, areBound = false;
  Dimensions bound; ///< names that parameters bind
  std::vector<Module> modules;
  std::vector<std::string> trainable; ///< names of fields
  std::string parameters, fields, body, exports;
};

//===-------------------------------------------- parameters --------------------------------------------------===//

void ProgramDrawer::drawParameters() {
  auto add = [&](const std::string &name, const std::string &type) {
    parameters += fmt::format("{}{}: {}", parameters.empty() ? "" : ", ", name, type);
  };
  Dimensions used;
  for (int64_t count = 2 + random.below(3); count > 0; --count) {
    Tensor tensor{formulas.fresh("x"), {}};
    for (int64_t rank = 1 + random.below(3); rank > 0; --rank)
      tensor.dimensions.push_back(dimension());
    used.insert(used.end(), tensor.dimensions.begin(), tensor.dimensions.end());
    add(tensor.name, "f32" + typed(tensor.dimensions));
    formulas.tensors.push_back(tensor);
  }
  for (const std::string &each : used)
    if (!isNumber(each) && std::find(bound.begin(), bound.end(), each) == bound.end())
      bound.push_back(each);
  areBound = true;
  for (int64_t count = random.below(3); count > 0 && !bound.empty(); --count) {
    Tensor tensor{formulas.fresh("g"), {formulas.pick(bound)}, formulas.pick(bound)};
    // The name ends in the exclusive bound of the elements (ProgramCheck.cpp).
    tensor.name += "_" + tensor.below;
    add(tensor.name, "i32" + typed(tensor.dimensions));
    formulas.tensors.push_back(tensor);
  }
}

void ProgramDrawer::drawFields() {
  for (int64_t number = 0, count = 1 + random.below(3); number < count; ++number) {
    Tensor tensor{formulas.fresh("w"), {}};
    for (int64_t rank = random.below(3); rank > 0; --rank)
      tensor.dimensions.push_back(pick({"1", "3", "4", "7"}));
    bool isFrozen = number > 0 && oneOf(6);
    fields += fmt::format("  {}{}: f32{} = {}\n", isFrozen ? "frozen " : "", tensor.name, typed(tensor.dimensions),
                          pick({"normal(0.5)", "ones", "zeros", "uniform(-0.5, 0.5)"}));
    if (!isFrozen)
      trainable.push_back(tensor.name);
    formulas.tensors.push_back(tensor);
  }
  for (int64_t count = random.below(3); count > 0; --count)
    drawModule();
}

void ProgramDrawer::drawModule() {
  std::string name = formulas.fresh("layer"), from = pick({"3", "4"}), to = pick({"3", "4", "5"});
  std::string kind = pick({"nn.Linear({0}, {1})", "nn.Linear({0}, {1}, biased: false)", "nn.LayerNorm({0})",
                           "nn.RmsNorm({0})", "nn.Mlp({0}, 5)", "nn.BatchNorm({0})"});
  Module module{name, from, from, oneOf(4), kind == "nn.BatchNorm({0})"};
  bool keeps = module.isList || kind.find("{1}") == std::string::npos;
  module.to = keeps ? from : to;
  std::string made = fmt::format(fmt::runtime(kind), from, module.to);
  fields += fmt::format("  {}: {}\n", name, module.isList ? fmt::format("[{}; 3]", made) : made);
  trainable.push_back(name);
  modules.push_back(module);
}

//===-------------------------------------------- statements --------------------------------------------------===//

Index ProgramDrawer::outer(Dimensions &dimensions) {
  dimensions.push_back(dimension());
  return formulas.enter("i", dimensions.back());
}

/// Returns "[i1 < n, i2 < 4]" with all indices in scope.
std::string ProgramDrawer::subscripts() {
  std::vector<std::string> ranges;
  for (const Index &index : formulas.indices)
    ranges.push_back(fmt::format("{} < {}", index.name, index.dimension));
  return fmt::format("[{}]", fmt::join(ranges, ", "));
}

std::string ProgramDrawer::map() {
  Dimensions dimensions;
  for (int64_t rank = 1 + random.below(3); rank > 0; --rank)
    outer(dimensions);
  std::string name = formulas.fresh("t"), ranges = subscripts();
  if (oneOf(8)) { // integers that can be subscripts
    Index key = formulas.enter("k", dimension());
    std::string text =
        fmt::format("{} => argmax {} < {} => stop({})", ranges, key.name, key.dimension, formulas.real(2));
    formulas.indices.clear();
    formulas.isSmooth = false;
    bind(name, dimensions, text, key.dimension);
    return name;
  }
  std::string text = fmt::format("{} => {}", ranges, formulas.real(3));
  formulas.indices.clear();
  bind(name, dimensions, oneOf(3) ? fmt::format("{}({})", pick({"tanh", "sin"}), text) : text);
  return name;
}

std::string ProgramDrawer::attendBody(const Index &key) {
  std::string score = formulas.real(3), by = "softmax";
  if (oneOf(2))
    by = pick({"ratio", "none", "sigmoid", "sparsemax", "entmax(1.5)", "hard", "stick_breaking", "softmax",
               "softmax(sink: 0.25)", "softmax(temperature: 0.5)"});
  formulas.isSmooth &= by != "hard" && by != "sparsemax" && !by.starts_with("entmax");
  if (by == "ratio")
    score = fmt::format("exp(tanh({}))", score);
  std::string text = fmt::format("score: {}", score);
  if (!oneOf(3))
    text += ", mask: " + formulas.condition(2);
  if (by != "softmax" || oneOf(4))
    text += ", by: " + by;
  if (oneOf(5))
    text += ", weight: w => " +
            fmt::format(fmt::runtime(pick({"w * w", "tanh(w)", "w * {}", "w * exp(tanh({}))"})), formulas.real(1));
  return text + ", value: " + formulas.real(2);
}

/// Binds the value and another result of attention.
void ProgramDrawer::bindStatistic(const std::string &name, const Dimensions &dimensions, const std::string &row,
                                  const Index &key, const std::string &text) {
  std::string other = formulas.fresh("t"), yield = pick({"weights", "entropy", "lse", "top_weights(2)", "key_sums"});
  bool mayHaveNoKeys = text.find("mask: ") != std::string::npos || !isNumber(key.dimension);
  if (yield == "lse" && mayHaveNoKeys) // the lse of no keys is infinite
    yield = "entropy";
  Dimensions others = dimensions;
  if (yield == "top_weights(2)") {
    others.push_back("2");
    formulas.isSmooth = false;
  } else if (yield == "weights") {
    others.push_back(key.dimension);
  } else if (yield == "key_sums") {
    others.pop_back();
    others.push_back(key.dimension);
    yield = fmt::format("key_sums({})", row);
  }
  body += fmt::format("  {}let ({}, {}) = {} yields (value, {})\n", isModel ? "  " : "", name, other, text, yield);
  formulas.tensors.push_back({name, dimensions});
  formulas.tensors.push_back({other, others});
}

std::string ProgramDrawer::attend() {
  Dimensions dimensions;
  for (int64_t rank = 1 + oneOf(3); rank > 0; --rank)
    outer(dimensions);
  std::string name = formulas.fresh("t"), ranges = subscripts(), row = formulas.indices.back().name;
  Index key = formulas.enter("j", dimension());
  std::string text = fmt::format("{} => attend {} < {} {{ {} }}", ranges, key.name, key.dimension, attendBody(key));
  formulas.indices.clear();
  if (text.find("by: ") == std::string::npos && oneOf(3)) {
    bindStatistic(name, dimensions, row, key, text);
    return name;
  }
  bind(name, dimensions, text);
  return name;
}

/// Returns " until LENGTH" with a tensor that has a length for each carried row, if there is one; otherwise "".
std::string ProgramDrawer::until(const std::string &steps, const Dimensions &carried) {
  auto isLength = [&](const Tensor &each) { return each.below == steps && each.dimensions == Dimensions{carried[0]}; };
  auto length = formulas.find(isLength);
  return length && !oneOf(3) ? " until " + length->name : "";
}

std::string ProgramDrawer::scan() {
  std::string steps = dimension(), name = formulas.fresh("t"), step = formulas.fresh("s");
  Dimensions dimensions;
  for (int64_t rank = 1 + oneOf(3); rank > 0; --rank)
    dimensions.push_back(dimension());
  std::string header =
      fmt::format("scan {} over {}{}{}", step, steps, oneOf(4) ? " backward" : "", until(steps, dimensions));
  auto isStart = [&](const Tensor &each) { return each.below.empty() && each.dimensions == dimensions; };
  Dimensions starts, carried;
  for (int64_t count = 1 + oneOf(3); count > 0; --count) {
    auto start = formulas.find(isStart);
    carried.push_back(formulas.fresh("h"));
    starts.push_back(
        fmt::format("{} = {}", carried.back(),
                    start && !oneOf(3) ? start->name : fmt::format("zeros({})", fmt::join(dimensions, ", "))));
  }
  size_t known = formulas.tensors.size();
  for (const std::string &each : carried)
    formulas.tensors.push_back({each, dimensions});
  Dimensions ranges;
  for (const std::string &each : dimensions) {
    Index index = formulas.enter("i", each);
    ranges.push_back(fmt::format("{} < {}", index.name, each));
  }
  formulas.indices.push_back({step, steps});
  std::string block;
  for (const std::string &each : carried) {
    std::string next = formulas.real(3), own = formulas.element({each, dimensions});
    block += fmt::format("      {} = [{}] => tanh({} + 0.5 * {})\n", each, fmt::join(ranges, ", "), next, own);
  }
  formulas.indices.clear();
  formulas.tensors.resize(known);
  return bindScan(name, fmt::format("{} carry ({}) {{\n{}    }}", header, fmt::join(starts, ", "), block), carried,
                  dimensions, step, steps);
}

/// Binds the carried values of a scan: either all steps or the last.
std::string ProgramDrawer::bindScan(const std::string &name, const std::string &text, const Dimensions &carried,
                                    const Dimensions &dimensions, const std::string &step, const std::string &steps) {
  std::string colons = ":";
  for (size_t rank = 1; rank < dimensions.size(); ++rank)
    colons += ", :";
  Dimensions names, results;
  for (const std::string &each : carried) {
    Tensor &tensor = formulas.tensors.emplace_back(Tensor{names.empty() ? name : formulas.fresh("t"), dimensions});
    bool isOfAllSteps = !oneOf(3);
    if (isOfAllSteps)
      tensor.dimensions.push_back(steps);
    names.push_back(tensor.name);
    results.push_back(isOfAllSteps ? fmt::format("{}[{}, {}]", each, colons, step) : each);
  }
  bool isOne = names.size() == 1;
  body += fmt::format("  {}let {} = {} -> {}\n", isModel ? "  " : "",
                      isOne ? names[0] : fmt::format("({})", fmt::join(names, ", ")), text,
                      isOne ? results[0] : fmt::format("({})", fmt::join(results, ", ")));
  return name;
}

/// Binds a product a @ b of fitting matrices and returns its name, or returns "" if there is no matrix.
std::string ProgramDrawer::product() {
  auto isMatrix = [](const Tensor &each) { return each.below.empty() && each.dimensions.size() == 2; };
  auto left = formulas.find(isMatrix);
  if (!left)
    return "";
  auto right = formulas.find([&](const Tensor &each) {
    return isMatrix(each) && (each.dimensions[0] == left->dimensions[1] || each.dimensions[1] == left->dimensions[1]);
  });
  bool isTransposed = right && right->dimensions[0] != left->dimensions[1];
  std::string name = formulas.fresh("t");
  bind(name, {left->dimensions[0], right->dimensions[isTransposed ? 0 : 1]},
       fmt::format("{} @ {}{}", left->name, right->name, isTransposed ? "'" : ""));
  return name;
}

/// Binds a call of the module, or of all modules of a list in order. Returns false if no tensor fits.
bool ProgramDrawer::call(const Module &module, const std::string &name) {
  auto fits = [&](const Tensor &each) {
    return each.below.empty() && !each.dimensions.empty() && each.dimensions.back() == module.from &&
           (!module.takesRows || each.dimensions.size() == 2);
  };
  auto argument = formulas.find(fits);
  if (!argument)
    return false;
  Dimensions dimensions = argument->dimensions;
  dimensions.back() = module.to;
  if (!module.isList) {
    bind(name, dimensions, fmt::format("{}({})", module.name, argument->name));
    return true;
  }
  body += fmt::format("    var {0} = {1}\n    for each in {2} {{ {0} = tanh(each({0})) }}\n", name, argument->name,
                      module.name);
  formulas.tensors.push_back({name, dimensions});
  return true;
}

std::string ProgramDrawer::whole() {
  auto isReal = [](const Tensor &each) { return each.below.empty() && !each.dimensions.empty(); };
  std::string name = formulas.fresh("t");
  Tensor tensor = *formulas.find(isReal);
  for (const Module &module : modules)
    if (!oneOf(2) && call(module, name))
      return name;
  int64_t axis = random.below(int64_t(tensor.dimensions.size()));
  switch (random.below(7)) {
  case 0: {
    Dimensions dimensions = tensor.dimensions;
    dimensions.erase(dimensions.begin() + axis);
    bind(name, dimensions, fmt::format("sum({}, axis: {})", tensor.name, axis));
    return name;
  }
  case 1:
    if (tensor.dimensions.size() >= 2) {
      Dimensions dimensions = tensor.dimensions;
      std::swap(dimensions[dimensions.size() - 1], dimensions[dimensions.size() - 2]);
      bind(name, dimensions, tensor.name + "'");
      return name;
    }
    [[fallthrough]];
  case 2:
    bind(name, tensor.dimensions, fmt::format("nn.softmax({})", tensor.name));
    return name;
  case 3: {
    auto same = formulas.find([&](const Tensor &each) { return isReal(each) && each.dimensions == tensor.dimensions; });
    bind(name, tensor.dimensions, fmt::format("{} {} {}", tensor.name, pick({"+", "-", "*"}), same->name));
    return name;
  }
  case 4:
    if (isNumber(tensor.dimensions[axis])) {
      auto same =
          formulas.find([&](const Tensor &each) { return each.below.empty() && each.dimensions == tensor.dimensions; });
      Dimensions dimensions = tensor.dimensions;
      dimensions[axis] = std::to_string(2 * std::stoll(dimensions[axis]));
      bind(name, dimensions, fmt::format("concat({}, {}, axis: {})", tensor.name, same->name, axis));
      return name;
    }
    [[fallthrough]];
  default:
    bind(name, tensor.dimensions,
         fmt::format("{}({})", pick({"nn.gelu", "nn.silu", "tanh", "sin", "sigmoid"}), tensor.name));
    return name;
  }
}

void ProgramDrawer::statement() {
  switch (random.below(10)) {
  case 0:
  case 1:
  case 2:
    map();
    return;
  case 3:
  case 4:
  case 5:
    attend();
    return;
  case 6:
    scan();
    return;
  case 7:
    if (!product().empty())
      return;
    [[fallthrough]];
  default:
    whole();
  }
}

/// Returns a scalar formula of the last tensors.
std::string ProgramDrawer::total() {
  std::vector<std::string> terms;
  for (size_t number = formulas.tensors.size(); number-- > 0 && terms.size() < 3;)
    if (const Tensor &tensor = formulas.tensors[number]; tensor.below.empty())
      terms.push_back(fmt::format(
          fmt::runtime(pick({"sum(sin({} + 0.3))", "sum(sq({}))", "sum({})", "sum(0.5 * tanh({}))"})), tensor.name));
  return fmt::format("{}", fmt::join(terms, " + "));
}

//===-------------------------------------------- programs ----------------------------------------------------===//

void ProgramDrawer::drawFunction() {
  isModel = oneOf(4);
  drawParameters();
  if (isModel)
    drawFields();
  for (int64_t count = 1 + random.below(4); count > 0; --count)
    statement();
  bool hasGradient = isModel || oneOf(2), attends = body.find("attend") != std::string::npos;
  std::string result = hasGradient ? total() : formulas.tensors.back().name, indent = isModel ? "  " : "";
  std::string function = fmt::format("{0}fn f({1}) {{\n{2}{0}  {3}\n{0}}}\n", indent, parameters, body, result);
  exports = "export f\n";
  if (hasGradient)
    exports += "export g = gradient(f)\n";
  if (attends && oneOf(6) && body.find("yields") == std::string::npos)
    exports += "export maps = attention(f)\n";
  if (isModel)
    drawTraining();
  program.text = "use nn\n" +
                 (isModel ? fmt::format("use optim\nmodel P() {{\n{}\n{}}}\n", fields, function) : function) + exports;
  program.isSmooth = formulas.isSmooth;
}

void ProgramDrawer::drawTraining() {
  std::string optimizer =
      pick({"optim.sgd(lr: 0.1)", "optim.sgd(lr: 0.1, momentum: 0.9, nesterov: true)", "optim.adam(lr: 1e-2)",
            "optim.adamw(lr: optim.warmup(1e-2, 10))", "optim.lion(lr: 1e-3)", "optim.adafactor(lr: 1e-2)"});
  std::string over;
  if (!trainable.empty() && oneOf(3))
    over = oneOf(2) ? ", over: " + formulas.pick(trainable) : fmt::format(", over: [{}]", fmt::join(trainable, ", "));
  exports += fmt::format("export train = minimize(f, with: {}{}{}{})\n", optimizer, over,
                         oneOf(3) ? ", clip_norm: 0.5" : "", oneOf(5) ? ", accumulate: 2" : "");
}

/// A scan along the positions over `from`, f32[b, seq, 4].
std::string ProgramDrawer::decoderScan(const std::string &from) {
  int64_t before = random.below(3);
  std::string read =
      before == 0 ? from + "[:, t]" : fmt::format("(if t >= {0} then {1}[:, t - {0}] else {1}[:, t])", before, from);
  std::string counted = oneOf(2) ? " + 0.1 * f32(n)" : "";
  return fmt::format("scan t over seq carry (h = {}{}) {{\n      h = tanh({} + h @ w{}){}\n    }} -> h[:, t]",
                     pick({"zeros(b, 4)", "full(0.5, b, 4)"}), counted.empty() ? "" : ", n = 0", read, counted,
                     counted.empty() ? "" : "\n      n = n + 1");
}

/// Draws a decoder for `incremental` and `decode`.
void ProgramDrawer::drawDecoder() {
  isModel = true;
  fields = "  token: nn.Embedding(7, 4)\n  w: f32[4, 4] = normal(0.5)\n";
  body = "    let x0 = token(tokens)\n";
  formulas.isCausal = true;
  formulas.tensors = {{"x0", {"b", "seq", "4"}}, {"w", {"4", "4"}}};
  for (int64_t count = 1 + random.below(3); count > 0; --count) {
    Index row = formulas.enter("r", "b"), position = formulas.enter("i", "seq"), feature = formulas.enter("f", "4");
    std::string name = formulas.fresh("t"), text;
    Tensor from = *formulas.find([](const Tensor &each) { return each.dimensions.size() == 3; });
    if (oneOf(4)) {
      text = decoderScan(from.name);
    } else if (formulas.tensors.size() == 2 || oneOf(2)) { // the first statement has a cache
      std::string window = oneOf(3) ? fmt::format(" and {} - j < {}", position.name, 1 + random.below(4)) : "";
      text = fmt::format("[{0}, {1}] => attend j {{ score: dot({2}[{0}, {1}], {3}[{0}, j]), mask: j <= {1}{4}, value: "
                         "{3}[{0}, j] }}",
                         row.name, position.name, formulas.tensors.front().name, from.name, window);
    } else {
      text = fmt::format("{} => {}", subscripts(), formulas.real(3));
    }
    formulas.indices.clear();
    bind(name, {"b", "seq", "4"}, text);
  }
  std::string result = formulas.tensors[2].name;
  if (formulas.tensors.size() > 3)
    result = fmt::format("({} + {})", result, formulas.tensors.back().name);
  program.text =
      fmt::format("use nn\nuse decoding\nmodel P() {{\n{}\n  fn f(tokens: i32[b, seq <= 24]) -> f32[b, seq, 7] {{\n"
                  "{}    {} @ token.table'\n  }}\n}}\nexport f\nexport next = incremental(f, along: seq)\n",
                  fields, body, result);
  if (oneOf(2))
    program.text +=
        fmt::format("export write = decode(next, with: {}, at_most: 3)\n",
                    pick({"greedy", "beam(2)", "draw", "sample(temperature: 0.7, top_k: 3)", "sample(top_p: 0.8)"}));
  program.isSmooth = formulas.isSmooth;
}

void ProgramDrawer::drawSizes() {
  static const std::vector<int64_t> sizes = {0, 1, 2, 3, 5, 6, 7, 13, 17, 33};
  bool hasEnds = formulas.takesEnds;
  for (const char *name : {"n", "m", "b"})
    program.sizes[name] = sizes[size_t(hasEnds) + random.below(int64_t(sizes.size()) - (name[0] == 'b' ? 5 : 1))];
  program.sizes["seq"] = 1 + random.below(7);
  program.sizes["capacity"] = program.sizes["seq"] + random.below(5);
}

/// Returns a schedule for a kind of kernel that the program probably has.
std::string ProgramDrawer::schedule() {
  auto has = [&](const char *part) { return program.text.find(part) != std::string::npos; };
  std::vector<std::string> keys = {"loops.chunk=1", "loops.chunk=40"};
  auto add = [&](std::initializer_list<const char *> more) { keys.insert(keys.end(), more.begin(), more.end()); };
  if (has("attend"))
    add({"attend.form=prefill", "attend.form=decode", "attend.tile_kv=16", "attend.tail_q=0", "attend.split_kv=16",
         "attend.decode_rows=0"});
  if (has("attend") && (has("gradient(") || has("minimize(")))
    add({"attend_gradient.form=pairs", "attend_gradient.tile_q=8"});
  if (has(" @ ") || has("nn.Linear") || has("nn.Mlp"))
    add({"gemm.mr=1", "gemm.mr=5", "gemm.kc=4", "gemm.mc=3"});
  if (has("nn.softmax") || has("nn.LayerNorm") || has("nn.RmsNorm"))
    add({"rows.rows_per_chunk=1", "rows.rows_per_chunk=3"});
  return formulas.pick(keys);
}

void ProgramDrawer::drawOptions() {
  if (oneOf(3))
    program.overrides.push_back(
        pick({"model.fusion=none", "model.attention-fused=no", "model.pointwise-fused=no", "model.epilogue-fused=no",
              "model.rows-fused=no", "model.formula-folded=no", "model.attention-raised=no", "model.view-folded=no",
              "model.layout-folded=no", "model.slice-narrowed=no"}));
  if (oneOf(3))
    program.overrides.push_back(schedule());
  if (oneOf(4))
    program.emitter = pick({"cpu", "halide"});
  if (oneOf(8))
    program.precision = pick({"bf16", "f16"});
}

RandomProgram ProgramDrawer::draw() {
  formulas.takesEnds = !oneOf(4);
  if (oneOf(10))
    drawDecoder();
  else
    drawFunction();
  drawSizes();
  drawOptions();
  return program;
}

} // namespace

RandomProgram randomProgram(uint64_t number) { return ProgramDrawer(number).draw(); }

} // namespace attnc::programs
