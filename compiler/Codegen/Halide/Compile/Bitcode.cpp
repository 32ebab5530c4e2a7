#include "compiler/Codegen/Halide/Compile/Bitcode.h"
#include "compiler/Codegen/Halide/Compile/CompileModule.h"
#include "compiler/Codegen/Halide/Compile/Declarations.h"
#include "compiler/Codegen/Halide/Compile/Formulas.h"
#include <Halide.h>

namespace attnc::halide {

namespace H = Halide;

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

  H::Module compile(const H::Target &target, const std::string &symbol) {
    H::Func result("result");
    define(result);
    bound(result);
    arrange(result);
    std::vector<H::Argument> arguments(buffers.begin(), buffers.end());
    arguments.insert(arguments.end(), sizes.begin(), sizes.end());
    arguments.insert(arguments.end(), spans.begin(), spans.end());
    return result.compile_to_module(arguments, symbol, target);
  }

private:
  static std::string nameOf(unsigned loop) { return "d" + std::to_string(loop); }
  H::Expr valueOf(const Size &size) const {
    H::Expr number = static_cast<int>(size.number);
    return size.isConstant() ? number : number + static_cast<int>(size.factor) * sizes[size.argument];
  }

  /// Sets a row-major layout with indices from 0.
  static void shape(H::ImageParam parameter, const std::vector<H::Expr> &extents) {
    H::Expr stride = 1;
    for (size_t dimension = extents.size(); dimension-- > 0;) {
      auto own = parameter.dim(extents.size() - 1 - dimension);
      own.set_stride(stride).set_bounds(0, extents[dimension]);
      stride = stride * extents[dimension];
    }
  }

  void addBuffer(size_t number) {
    const Buffer &buffer = stage.buffers[number];
    buffers.emplace_back(typeOf(buffer.element), buffer.shape.size(), "operand" + std::to_string(number));
    std::vector<H::Expr> extents;
    for (const Size &size : buffer.shape)
      extents.push_back(valueOf(size));
    shape(buffers.back(), extents);
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

  /// True if a tile sums over a block of the loop, and an outer loop adds the blocks.
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

  /// The result's dimensions, innermost first, which is the order of Halide.
  std::vector<H::Var> points() const {
    std::vector<H::Var> result;
    for (size_t dimension = stage.result.size(); dimension-- > 0;)
      result.emplace_back(nameOf(stage.result[dimension]));
    return result;
  }

  /// The number of elements of a tile along the lanes.
  int width() const { return schedule.lanes * schedule.vectors; }

  Formulas formulasAt(const std::vector<H::Expr> &at) {
    return Formulas(stage, at, {sizes.begin(), sizes.end()},
                    [this](unsigned buffer, const std::vector<H::Expr> &at) { return buffers[buffer](at); });
  }

  /// Computes the value to store from the result of a fold.
  H::Expr finished(const H::Expr &fold) {
    if (!stage.finish)
      return stored(stage.element, fold);
    Formulas formulas = formulasAt(iterations);
    formulas.setFolded(fold);
    return stored(stage.element, formulas.valueOf(*stage.finish));
  }

  void define(H::Func &result) {
    Formulas formulas = formulasAt(iterations);
    std::vector<H::Var> vars = points();
    H::Expr value = formulas.valueOf(stage.value);
    if (!stage.fold) {
      result(vars) = stored(stage.element, value);
      return;
    }
    if (!stage.places.empty())
      return defineAtPlaces(result, formulas);
    std::vector<H::Var> ofTile = vars;
    ofTile.insert(ofTile.end(), parts.begin(), parts.end());
    std::vector<H::Expr> at(vars.begin(), vars.end()), atPart(ofTile.begin(), ofTile.end());
    tile(ofTile) = parts.empty() ? formulas.valueOf(stage.start) : H::Expr(0.0f);
    tile(ofTile) = folded(*stage.fold, tile(atPart), value);
    if (parts.empty()) {
      result(vars) = finished(tile(at));
      return;
    }
    atPart = at;
    for (size_t number = 0; number < parts.size(); ++number)
      atPart.emplace_back(outerSums[number]);
    result(vars) = formulas.valueOf(stage.start);
    result(vars) += tile(atPart);
  }

  void defineAtPlaces(H::Func &result, Formulas &formulas) {
    result(points()) = formulas.valueOf(stage.start);
    std::vector<H::Expr> at;
    for (unsigned dimension = stage.result.size(); dimension-- > 0;)
      at.push_back(formulas.valueOf(stage.places[dimension]));
    result(at) += formulas.valueOf(stage.value);
  }

  //===---------------------------------------- the schedule ------------------------------------------------------===//

  /// Sets the bounds of the result to the range of a chunk.
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
    if (!stage.places.empty())
      return arrangePlaces(result);
    bool isInParts = !parts.empty();
    // Overlapping tiles would add a partial sum to their common elements twice.
    auto tail = isInParts ? H::TailStrategy::RoundUp : H::TailStrategy::ShiftInwards;
    H::Var around = arrangePoints(result, tail);
    if (isInParts)
      arrangePoints(result.update(), tail);
    if (!stage.fold)
      return;
    H::Var lane(nameOf(stage.result[schedule.laneDimension])), row;
    int lanes = schedule.lanes, width = schedule.lanes * schedule.vectors;
    tile.compute_at(result, around).store_in(H::MemoryType::Stack).bound_extent(lane, width);
    if (schedule.laneDimension + 1 != stage.result.size())
      tile.reorder_storage({lane, points().front()}); // its vectors are registers
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

  /// Orders the loops of a scatter: all lanes of a term, then the next term, then the other dimensions whose points
  /// receive separate terms.
  void arrangePlaces(H::Func &result) {
    arrangePoints(result, H::TailStrategy::RoundUp);
    H::Stage update = result.update();
    std::vector<H::VarOrRVar> order;
    unsigned lane = schedule.laneDimension;
    H::Var own(nameOf(stage.result[lane])), lanes("lanes"), tiles("lane_tiles");
    if (stage.isApart(lane)) {
      update.split(own, tiles, lanes, width(), H::TailStrategy::RoundUp);
      order = {lanes, tiles};
    }
    for (size_t number = 0; number < schedule.sums.inner.size(); ++number)
      order.push_back(sums[number]);
    for (unsigned dimension = stage.result.size(); dimension-- > 0;)
      if (dimension != lane && stage.isApart(dimension))
        order.emplace_back(H::Var(nameOf(stage.result[dimension])));
    if (order.size() > 1)
      update.reorder(order);
    else
      update.unscheduled(); // the default order is intended; Halide would warn
    if (stage.isApart(lane))
      vectorise(update, lanes, schedule.lanes, width());
  }

  /// True if the loops should traverse whole rows: vectors of lanes are contiguous in every operand and the result.
  /// Otherwise the other dimensions are inside, because they reuse the elements or the column that a sum reads for some
  /// lanes.
  bool goesAlongRows() const {
    unsigned lanes = stage.result[schedule.laneDimension];
    auto readsColumns = [&](const Node &node) {
      return node.op == Op::Load && node.operands.size() > 1 &&
             std::any_of(node.operands.begin(), node.operands.end() - 1,
                         [&](unsigned subscript) { return dependsOn(stage, subscript, lanes); });
    };
    return !stage.fold && schedule.laneDimension + 1 == stage.result.size() &&
           std::none_of(stage.nodes.begin(), stage.nodes.end(), readsColumns);
  }

  /// Divides the points of a definition into tiles. Returns the innermost loop over tiles.
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
    bool lanesFirst = goesAlongRows();
    if (lanesFirst)
      outside.insert(outside.begin(), tilesOfLanes);
    for (unsigned dimension = stage.result.size(); dimension-- > 0;)
      if (dimension != schedule.laneDimension && dimension != schedule.rowDimension)
        outside.emplace_back(nameOf(stage.result[dimension]));
    if (!lanesFirst)
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

  template <typename Definition>
  static void vectorise(Definition &&definition, const H::Var &lane, int lanes, int width) {
    if (isVector(lanes))
      definition.vectorize(lane, lanes);
    if (width > (isVector(lanes) ? lanes : 1))
      definition.unroll(lane);
  }

  const Stage &stage;
  const Schedule &schedule;
  std::vector<H::ImageParam> buffers;
  std::vector<H::Param<int>> sizes, spans;
  std::vector<H::Expr> iterations;
  H::RDom sums, outerSums;
  std::vector<H::Var> parts; ///< for each outer sum, the index of a tile's partial sum
  H::Func tile{"tile"};
};

} // namespace

extern "C" void attncCompileStage(const Stage &stage, const Schedule &schedule, const Machine &machine,
                                  unsigned arguments, const std::string &symbol, Bitcode &result) {
  result = compileModule(machine, declareCalls(stage, machine.lanes), symbol, [&](const H::Target &target) {
    return StageCompiler(stage, schedule, arguments).compile(target, symbol);
  });
}

} // namespace attnc::halide
