#include "compiler/Codegen/Halide/Bitcode.h"
#include "compiler/Codegen/Halide/Declarations.h"
#include "compiler/Codegen/Halide/HalideLoops.h"
#include <Halide.h>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <unistd.h>

namespace attnc::halide {

namespace H = Halide;

static H::Type typeOf(Element element) {
  switch (element) {
  case Element::F32:
    return H::Float(32);
  case Element::I32:
    return H::Int(32);
  case Element::Truth:
    return H::UInt(8);
  }
  return {};
}

namespace {

class StageCompiler {
public:
  StageCompiler(const Stage &stage, const Schedule &schedule, unsigned arguments) : stage(stage), schedule(schedule) {
    for (unsigned number = 0; number < arguments; ++number)
      sizes.emplace_back("size" + std::to_string(number));
    for (size_t number = 0; number < stage.buffers.size(); ++number)
      addBuffer(number);
    iterations.resize(stage.loops.size());
    for (unsigned loop : stage.result)
      iterations[loop] = H::Var(nameOf(loop));
    addSums();
  }

  void compile(const H::Target &target, int64_t lanes, const std::string &symbol, const std::string &path) {
    H::Func result("result");
    define(result);
    bound(result);
    if (schedule.loops) {
      StageFuncs funcs = funcsOf(result);
      applyLoops(*schedule.loops, funcs, extentsOfChunk(stage, schedule));
    } else {
      arrange(result);
    }
    std::vector<H::Argument> arguments(buffers.begin(), buffers.end());
    arguments.insert(arguments.end(), sizes.begin(), sizes.end());
    arguments.insert(arguments.end(), spans.begin(), spans.end());
    H::Module module = result.compile_to_module(arguments, symbol, target);
    if (std::vector<uint8_t> calls = declareCalls(stage, lanes); !calls.empty())
      module.append(H::ExternalCode::bitcode_wrapper(module.target(), calls, "operations"));
    module.compile({{H::OutputFileType::bitcode, path}});
  }

  LoopSchedule findLoops(const H::Target &target, const std::string &autoscheduler) {
    H::Func result("result");
    define(result);
    bound(result);
    estimate(result);
    StageFuncs funcs = funcsOf(result);
    autoschedule(autoscheduler, funcs, target);
    return readLoops(funcs);
  }

private:
  static std::string nameOf(unsigned loop) { return "d" + std::to_string(loop); }
  H::Expr valueOf(const Size &size) const {
    H::Expr number = static_cast<int>(size.number);
    return size.isConstant() ? number : number + static_cast<int>(size.factor) * sizes[size.argument];
  }

  /// Row-major, from index 0.
  template <typename Parameter> void shape(Parameter parameter, const std::vector<Size> &shape) {
    H::Expr stride = 1;
    for (size_t dimension = 0; dimension < shape.size(); ++dimension) {
      H::Expr extent = valueOf(shape[shape.size() - 1 - dimension]);
      parameter.dim(dimension).set_bounds(0, extent).set_stride(stride);
      stride = stride * extent;
    }
  }

  void addBuffer(size_t number) {
    const Buffer &buffer = stage.buffers[number];
    buffers.emplace_back(typeOf(buffer.element), buffer.shape.size(), "operand" + std::to_string(number));
    shape(buffers.back(), buffer.shape);
  }

  void addSums() {
    const auto &[summed, outer, block] = schedule.sums;
    if (!outer.empty())
      addOuterSums();
    if (summed.empty())
      return;
    H::Region region;
    for (unsigned loop : summed)
      region.push_back({0, isInBlocks(loop) ? H::Expr(static_cast<int>(block)) : valueOf(stage.loops[loop].size)});
    sums = H::RDom(region, "sums");
    for (size_t number = 0; number < summed.size(); ++number) {
      unsigned loop = summed[number];
      if (!isInBlocks(loop)) {
        iterations[loop] = sums[number];
        continue;
      }
      iterations[loop] = iterations[loop] * static_cast<int>(block) + sums[number];
      if (const Size &size = stage.loops[loop].size; !size.isConstant() || size.number % block != 0)
        sums.where(iterations[loop] < valueOf(size));
    }
  }

  /// Whether a tile sums over a block of the loop, and the blocks are summed outside.
  bool isInBlocks(unsigned loop) const {
    return !schedule.sums.outer.empty() && schedule.sums.block != 0 && loop == schedule.sums.outer.front();
  }

  void addOuterSums() {
    H::Region region;
    for (unsigned loop : schedule.sums.outer) {
      H::Expr size = valueOf(stage.loops[loop].size);
      int block = isInBlocks(loop) ? schedule.sums.block : 1;
      region.push_back({0, block == 1 ? size : (size + (block - 1)) / block});
      parts.emplace_back("part" + std::to_string(loop));
      iterations[loop] = parts.back();
    }
    outerSums = H::RDom(region, "parts");
  }

  /// The result's dimensions, innermost first, as Halide wants them.
  std::vector<H::Var> points() const {
    std::vector<H::Var> result;
    for (size_t dimension = stage.result.size(); dimension-- > 0;)
      result.emplace_back(nameOf(stage.result[dimension]));
    return result;
  }

  //===---------------------------------------- formulas ----------------------------------------------------------===//

  H::Expr valueOf(unsigned number) {
    if (values.empty())
      values.resize(stage.nodes.size());
    if (!values[number].defined())
      values[number] = compute(stage.nodes[number]);
    return values[number];
  }

  static H::Expr isNan(const H::Expr &value) {
    // Halide takes x == x for true.
    return (H::reinterpret<int32_t>(value) & 0x7fffffff) > 0x7f800000;
  }

  /// The larger (or smaller) of both, NaN where one is NaN.
  static H::Expr extremum(bool larger, const H::Expr &a, const H::Expr &b) {
    if (!a.type().is_float())
      return larger ? H::max(a, b) : H::min(a, b);
    H::Expr either = H::select(larger ? a > b : a < b, a, b); // b where one is NaN
    return H::Internal::is_const(a)   ? extremum(larger, b, a)
           : H::Internal::is_const(b) ? H::select(larger ? b > a : b < a, b, a)
                                      : H::select(isNan(a), a, either);
  }

  H::Expr load(const Node &node) {
    std::vector<H::Expr> subscripts;
    for (size_t dimension = node.operands.size(); dimension-- > 0;)
      subscripts.push_back(valueOf(node.operands[dimension]));
    H::Expr element = buffers[node.integer](subscripts);
    return node.element == Element::Truth ? element != H::cast<uint8_t>(0) : element;
  }

  /// Truth values are numbers of 32 bits for what is called.
  H::Expr call(const Node &node) {
    std::vector<H::Expr> operands;
    for (unsigned operand : node.operands) {
      H::Expr value = valueOf(operand);
      operands.push_back(value.type().is_bool() ? H::cast<int32_t>(value) : value);
    }
    H::Type type = node.element == Element::F32 ? H::Float(32) : H::Int(32);
    H::Expr result = H::Internal::Call::make(type, functionOf(node), operands, H::Internal::Call::PureExtern);
    return node.element == Element::Truth ? result != 0 : result;
  }

  /// Halide takes 0 and -0 for one number, which it computes once.
  static H::Expr numberOf(float number) {
    bool isNegativeZero = number == 0 && std::signbit(number);
    return isNegativeZero ? H::reinterpret<float>(H::Expr(std::numeric_limits<int32_t>::min())) : H::Expr(number);
  }

  H::Expr compute(const Node &node) {
    auto operand = [&](unsigned number) { return valueOf(node.operands[number]); };
    switch (node.op) {
    case Op::Number:
      return numberOf(static_cast<float>(node.number));
    case Op::Integer:
      return node.element == Element::Truth ? H::Internal::make_bool(node.integer != 0)
                                            : H::Expr(static_cast<int>(node.integer));
    case Op::Index:
      return iterations[node.integer];
    case Op::Argument:
      return sizes[node.integer];
    case Op::Select:
      return H::select(operand(0), operand(1), operand(2));
    case Op::ToF32:
      return H::cast<float>(operand(0));
    case Op::Load:
      return load(node);
    case Op::Call:
      return call(node);
    case Op::Checked:
      return H::unsafe_promise_clamped(call(node), 0, operand(1) - 1);
    default:
      return node.operands.size() == 1 ? computeUnary(node.op, operand(0))
                                       : computeBinary(node.op, operand(0), operand(1));
    }
  }

  static H::Expr computeUnary(Op op, const H::Expr &a) {
    switch (op) {
    case Op::Negate: // Halide's is 0 - a, which is 0 for 0.
      return H::reinterpret<float>(H::reinterpret<int32_t>(a) ^ std::numeric_limits<int32_t>::min());
    case Op::Absolute:
      return H::abs(a);
    case Op::SquareRoot:
      return H::sqrt(a);
    case Op::Floor:
      return H::floor(a);
    default:
      return H::ceil(a);
    }
  }

  static H::Expr computeBinary(Op op, const H::Expr &a, const H::Expr &b) {
    switch (op) {
    case Op::Add:
      return a + b;
    case Op::Sub:
      return a - b;
    case Op::Mul:
      return a * b;
    case Op::Min:
    case Op::Max:
      return extremum(op == Op::Max, a, b);
    case Op::Equal:
      return a == b;
    case Op::NotEqual:
      return a != b;
    case Op::Less:
      return a < b;
    case Op::LessEqual:
      return a <= b;
    case Op::Remainder:
      return a % b;
    case Op::And:
      return a && b;
    case Op::Or:
      return a || b;
    case Op::ExclusiveOr:
      return a != b;
    default: // Halide's quotient of integers is rounded down where the divisor is positive.
      return a / b;
    }
  }

  H::Expr folded(const H::Expr &before, const H::Expr &term) {
    switch (*stage.fold) {
    case Fold::Add:
      return before + term;
    case Fold::Mul:
      return before * term;
    case Fold::Min:
    case Fold::Max:
      return extremum(stage.fold == Fold::Max, before, term);
    }
    return {};
  }

  void define(H::Func &result) {
    std::vector<H::Var> vars = points();
    H::Expr value = valueOf(stage.value);
    if (!stage.fold) {
      result(vars) = H::cast(typeOf(stage.element), value);
      return;
    }
    std::vector<H::Var> ofTile = vars;
    ofTile.insert(ofTile.end(), parts.begin(), parts.end());
    std::vector<H::Expr> at(vars.begin(), vars.end()), atPart(ofTile.begin(), ofTile.end());
    tile(ofTile) = parts.empty() ? valueOf(stage.start) : H::Expr(0.0f);
    tile(ofTile) = folded(tile(atPart), value);
    if (parts.empty()) {
      result(vars) = tile(at);
      return;
    }
    atPart = at;
    for (size_t number = 0; number < parts.size(); ++number)
      atPart.emplace_back(outerSums[number]);
    result(vars) = valueOf(stage.start);
    result(vars) += tile(atPart);
  }

  //===---------------------------------------- the schedule ------------------------------------------------------===//

  /// Tells Halide what a chunk has of the result.
  void bound(H::Func &result) {
    H::OutputImageParam buffer = result.output_buffer();
    H::Expr stride = 1;
    for (unsigned dimension = stage.result.size(); dimension-- > 0;) {
      H::Expr extent = valueOf(stage.extent(dimension)), first = 0, count = extent;
      const Span &span = schedule.spans[dimension];
      if (span.kind != Span::Kind::Whole) {
        spans.emplace_back("first" + std::to_string(dimension));
        first = spans.back();
        count = 1;
      }
      if (span.kind == Span::Kind::Block) {
        spans.emplace_back("tiles" + std::to_string(dimension));
        count = spans.back() * static_cast<int>(schedule.points(dimension));
      }
      unsigned innermostFirst = stage.result.size() - 1 - dimension;
      buffer.dim(innermostFirst).set_bounds(first, count).set_stride(stride);
      stride = stride * extent;
    }
  }

  void arrange(H::Func &result) {
    bool isInParts = !parts.empty();
    // A sum must not come twice to the elements that tiles share.
    auto tail = isInParts ? H::TailStrategy::RoundUp : H::TailStrategy::ShiftInwards;
    H::Var around = arrangePoints(result, tail);
    if (isInParts)
      arrangePoints(result.update(), tail);
    if (!stage.fold)
      return;
    H::Var lane(nameOf(stage.result[schedule.laneDimension])), row;
    int lanes = schedule.lanes, width = schedule.lanes * schedule.vectors;
    tile.compute_at(result, around).store_in(H::MemoryType::Stack).bound_extent(lane, width);
    std::vector<H::VarOrRVar> inner = {lane};
    if (schedule.rowDimension) {
      row = H::Var(nameOf(stage.result[*schedule.rowDimension]));
      tile.bound_extent(row, static_cast<int>(schedule.rows));
      inner.push_back(row);
    }
    for (size_t number = 0; number < schedule.sums.inner.size(); ++number)
      inner.push_back(sums[number]);
    tile.update().reorder(inner);
    vectorise(tile, lane, lanes, width);
    vectorise(tile.update(), lane, lanes, width);
    if (schedule.rowDimension) {
      tile.unroll(row);
      tile.update().unroll(row);
    }
  }

  /// Divides a definition's points into tiles; gives the innermost loop over those.
  template <typename Definition> H::Var arrangePoints(Definition &&definition, H::TailStrategy tail) {
    std::vector<H::VarOrRVar> order;
    H::Var lane(nameOf(stage.result[schedule.laneDimension])), lanesOf("lanes"), tilesOfLanes("lane_tiles");
    int lanes = schedule.lanes, width = schedule.lanes * schedule.vectors;
    definition.split(lane, tilesOfLanes, lanesOf, width, tail);
    order.push_back(lanesOf);
    std::vector<H::Var> outside;
    H::Var rows("rows");
    if (schedule.rowDimension) {
      H::Var row(nameOf(stage.result[*schedule.rowDimension])), tilesOfRows("row_tiles");
      definition.split(row, tilesOfRows, rows, static_cast<int>(schedule.rows), tail);
      order.push_back(rows);
      outside.push_back(tilesOfRows);
    }
    for (unsigned dimension = stage.result.size(); dimension-- > 0;)
      if (dimension != schedule.laneDimension && dimension != schedule.rowDimension)
        outside.emplace_back(nameOf(stage.result[dimension]));
    outside.push_back(tilesOfLanes);
    order.insert(order.end(), outside.begin(), outside.end());
    if constexpr (std::is_same_v<std::decay_t<Definition>, H::Stage>)
      for (size_t number = 0; number < parts.size(); ++number)
        order.emplace_back(outerSums[number]);
    definition.reorder(order);
    vectorise(definition, lanesOf, lanes, width);
    if (schedule.rowDimension)
      definition.unroll(rows);
    return outside.front();
  }

  //===---------------------------------------- loop by loop ------------------------------------------------------===//

  StageFuncs funcsOf(H::Func &result) {
    StageFuncs funcs{result, {}, {}};
    if (stage.fold)
      funcs.tile = tile;
    for (size_t number = 0; number < schedule.sums.inner.size(); ++number)
      funcs.loopsOfSums[sums[number].name()] = nameOf(schedule.sums.inner[number]);
    return funcs;
  }

  /// Tells autoschedulers the sizes of a chunk, dynamic ones as they are taken elsewhere.
  void estimate(H::Func &result) {
    auto estimateOf = [](const Size &size) { return static_cast<int>(typical(size)); };
    for (H::Param<int> &size : sizes)
      size.set_estimate(estimateOf({0, 1, 0}));
    for (size_t number = 0; number < buffers.size(); ++number) {
      const std::vector<Size> &shape = stage.buffers[number].shape;
      for (size_t dimension = 0; dimension < shape.size(); ++dimension)
        buffers[number].dim(dimension).set_estimate(0, estimateOf(shape[shape.size() - 1 - dimension]));
    }
    auto parameter = spans.begin();
    for (unsigned dimension = stage.result.size(); dimension-- > 0;) {
      const Span &span = schedule.spans[dimension];
      int indices = estimateOf(stage.extent(dimension));
      if (span.kind != Span::Kind::Whole) {
        parameter++->set_estimate(0);
        indices = 1;
      }
      if (span.kind == Span::Kind::Block)
        parameter++->set_estimate(indices = static_cast<int>(span.block));
      result.set_estimate(H::Var(nameOf(stage.result[dimension])), 0, indices);
    }
  }

  template <typename Definition>
  static void vectorise(Definition &&definition, const H::Var &lane, int lanes, int width) {
    if (lanes > 1)
      definition.vectorize(lane, lanes);
    if (width > lanes)
      definition.unroll(lane);
  }

  const Stage &stage;
  const Schedule &schedule;
  std::vector<H::ImageParam> buffers;
  std::vector<H::Param<int>> sizes, spans;
  std::vector<H::Expr> iterations, values;
  H::RDom sums, outerSums;
  std::vector<H::Var> parts; ///< which part of each sum outside of tiles a tile is of
  H::Func tile{"tile"};
};

H::Target targetOf(const Machine &machine) {
  std::vector<H::Target::Feature> features = {
      H::Target::NoRuntime, H::Target::NoAsserts,   H::Target::NoBoundsQuery, H::Target::LargeBuffers,
      H::Target::SSE41,     H::Target::AVX,         H::Target::AVX2,          H::Target::FMA,
      H::Target::F16C,      H::Target::StrictFloat,
  };
  if (machine.hasAvx512)
    for (H::Target::Feature feature : {H::Target::AVX512, H::Target::AVX512_Skylake})
      features.push_back(feature);
  return {H::Target::Linux, H::Target::X86, 64, features};
}

} // namespace

/// Halide and its LLVM take orders from variables HL_...: what they make of a stage is none of the environment's. One
/// of them is needed: addresses must stay numbers of their own, not lanes of vectors, to be offsets of one another.
static void settleEnvironment() {
  static const bool isSettled = [] {
    std::vector<std::string> names;
    for (char **each = environ; *each; ++each)
      if (std::string_view(*each).starts_with("HL_"))
        names.emplace_back(*each, std::strcspn(*each, "="));
    for (const std::string &name : names)
      unsetenv(name.c_str());
    return setenv("HL_LLVM_ARGS", "-vectorize-slp=false", /*overwrite=*/1) == 0;
  }();
  (void)isSettled;
}

std::optional<LoopSchedule> findLoops(const Stage &stage, const Schedule &schedule, const Machine &machine,
                                      unsigned arguments, const std::string &autoscheduler, std::string &error) {
  settleEnvironment();
  try {
    return StageCompiler(stage, schedule, arguments).findLoops(targetOf(machine), autoscheduler);
  } catch (const H::Error &thrown) {
    error = thrown.what();
    return std::nullopt;
  }
}

Bitcode compileStage(const Stage &stage, const Schedule &schedule, const Machine &machine, unsigned arguments,
                     const std::string &symbol, const std::string &path) {
  settleEnvironment();
  try {
    StageCompiler(stage, schedule, arguments).compile(targetOf(machine), machine.lanes, symbol, path);
  } catch (const H::Error &error) {
    return {{}, error.what()};
  }
  std::ifstream file(path, std::ios::binary);
  Bitcode code;
  code.bytes.assign(std::istreambuf_iterator<char>(file), {});
  if (code.bytes.empty())
    code.error = "no bitcode was written";
  return code;
}

} // namespace attnc::halide
