#include "compiler/Codegen/Halide/HalideLoops.h"
#include "compiler/Codegen/Halide/Formulas.h"
#include <cstdlib>
#include <set>
#include <unistd.h>

namespace attnc::halide {

namespace H = Halide;

//===-------------------------------------------- from Halide -----------------------------------------------------===//

namespace {

/// Names as people read them: a loop of the sums is called as it is in the stage, and what is made of it begins so.
class Names {
public:
  explicit Names(const StageFuncs &funcs) : loopsOfSums(funcs.loopsOfSums) {}

  /// Halide puts the loop that it was split from in front.
  std::string of(const std::string &qualified) const {
    std::string name = qualified.substr(qualified.rfind('.') + 1);
    for (const auto &[theirs, ours] : loopsOfSums)
      if (name.compare(0, theirs.size(), theirs) == 0)
        return ours + name.substr(theirs.size());
    return name;
  }

private:
  const std::map<std::string, std::string> &loopsOfSums;
};

} // namespace

static OrderedLoop::Kind kindOf(H::Internal::ForType type) {
  // Chunks are what runs in parallel.
  return type == H::Internal::ForType::Vectorized ? OrderedLoop::Kind::Vector
         : type == H::Internal::ForType::Unrolled ? OrderedLoop::Kind::Unrolled
                                                  : OrderedLoop::Kind::Serial;
}

static Definition readDefinition(const H::Internal::StageSchedule &schedule, const Names &names) {
  Definition definition;
  for (const H::Internal::Split &split : schedule.splits()) {
    if (!split.is_split() && !split.is_fuse())
      throw H::CompileError("the autoscheduler renames loops");
    const int64_t *factor = split.is_split() ? H::Internal::as_const_int(split.factor) : nullptr;
    if (split.is_split() && !factor)
      throw H::CompileError("the autoscheduler splits a loop by a number that is not known");
    definition.splits.push_back(
        {split.is_fuse(), names.of(split.old_var), names.of(split.outer), names.of(split.inner), factor ? *factor : 0});
  }
  for (const H::Internal::Dim &loop : schedule.dims())
    if (loop.var != H::Var::outermost().name())
      definition.loops.push_back({kindOf(loop.for_type), names.of(loop.var)});
  return definition;
}

LoopSchedule readLoops(const StageFuncs &funcs) {
  Names names(funcs);
  LoopSchedule loops;
  H::Internal::Function result = funcs.result.function();
  loops.result = readDefinition(result.definition().schedule(), names);
  if (!funcs.tile)
    return loops;
  H::Internal::Function tile = funcs.tile->function();
  loops.start = readDefinition(tile.definition().schedule(), names);
  loops.sum = readDefinition(tile.update(0).schedule(), names);
  H::LoopLevel level = tile.schedule().compute_level();
  level.lock();
  if (!level.is_root() && !level.is_inlined())
    loops.at = names.of(level.var().name());
  return loops;
}

//===-------------------------------------------- to Halide -------------------------------------------------------===//

/// `movesIterations`: whether splits may, as the tree says; none of a sum, whose terms must not come twice.
static void apply(const Definition &definition, const LoopTree &tree, bool movesIterations, H::Stage stage,
                  const StageFuncs &funcs) {
  std::map<std::string, std::string> theirs;
  std::set<std::string> sums;
  for (const auto &[name, ours] : funcs.loopsOfSums) {
    theirs[ours] = name;
    sums.insert(ours);
  }
  auto loop = [&](const std::string &name) {
    auto found = theirs.find(name);
    return H::VarOrRVar(found == theirs.end() ? name : found->second, sums.count(name) != 0);
  };
  for (unsigned number = 0; number < definition.splits.size(); ++number) {
    const LoopSplit &split = definition.splits[number];
    if (split.fuses) {
      if (sums.count(split.inner))
        sums.insert(split.loop);
      stage.fuse(loop(split.inner), loop(split.outer), loop(split.loop));
      continue;
    }
    if (sums.count(split.loop))
      sums.insert({split.outer, split.inner});
    stage.split(loop(split.loop), loop(split.outer), loop(split.inner), static_cast<int>(split.factor),
                movesIterations && tree.moves(number) ? H::TailStrategy::ShiftInwards : H::TailStrategy::GuardWithIf);
  }
  std::vector<H::VarOrRVar> order;
  for (const OrderedLoop &each : definition.loops)
    order.push_back(loop(each.name));
  if (order.size() > 1)
    stage.reorder(order);
  for (const OrderedLoop &each : definition.loops) {
    bool isOfLanes = each.kind == OrderedLoop::Kind::Vector;
    if (isOfLanes && isVector(tree.iterationsOf(each.name).value_or(1)))
      stage.vectorize(loop(each.name));
    else if (isOfLanes || each.kind == OrderedLoop::Kind::Unrolled)
      stage.unroll(loop(each.name));
  }
}

void applyLoops(const LoopSchedule &loops, StageFuncs &funcs, const Extents &chunk) {
  LoopTree tree(loops.result, chunk);
  apply(loops.result, tree, /*movesIterations=*/true, funcs.result, funcs);
  if (!funcs.tile)
    return;
  H::Func &tile = *funcs.tile;
  if (loops.at)
    tile.compute_at(funcs.result, H::Var(*loops.at));
  else
    tile.compute_root();
  tile.store_in(H::MemoryType::Stack);
  Extents ofTile = extentsOfTile(loops, chunk);
  for (const auto &[dimension, extent] : ofTile) {
    if (extent.exact)
      tile.bound_extent(H::Var(dimension), static_cast<int>(*extent.exact));
    else if (extent.most)
      tile.bound_storage(H::Var(dimension), static_cast<int>(*extent.most));
  }
  apply(loops.start, LoopTree(loops.start, ofTile), /*movesIterations=*/true, tile, funcs);
  Extents ofSum = ofTile;
  for (const auto &[theirs, ours] : funcs.loopsOfSums)
    ofSum.try_emplace(ours);
  apply(loops.sum, LoopTree(loops.sum, ofSum), /*movesIterations=*/false, tile.update(), funcs);
}

//===-------------------------------------------- autoschedulers --------------------------------------------------===//

/// Autoschedulers warn of what they guess, such as the cost of a call.
class Silence : public H::CompileTimeErrorReporter {
public:
  void warning(const char *) override {}
  void error(const char *message) override { throw H::CompileError(message); }
};

/// Where the library of an autoscheduler lies; empty where the build found none.
static std::string pathOf(const std::string &autoscheduler) {
  return autoscheduler == "Adams2019" ? ATTNC_HALIDE_ADAMS2019 : ATTNC_HALIDE_MULLAPUDI2016;
}

static void load(const std::string &autoscheduler) {
  static std::set<std::string> loaded;
  if (loaded.count(autoscheduler))
    return;
  std::string path = pathOf(autoscheduler);
  if (path.empty() || access(path.c_str(), R_OK) != 0)
    throw H::CompileError("the autoscheduler " + autoscheduler + " is not installed" +
                          (path.empty() ? "" : ", expected in " + path));
  H::load_plugin(path);
  loaded.insert(autoscheduler);
}

void autoschedule(const std::string &autoscheduler, const StageFuncs &funcs, const H::Target &target) {
  // Read when they are used; otherwise dropout has the time for a seed, and progress is printed.
  for (auto [name, value] : {std::pair{"HL_SEED", "0"}, {"HL_DEBUG_AUTOSCHEDULE", "-1"}})
    setenv(name, value, /*overwrite=*/1);
  static Silence silence;
  H::set_custom_compile_time_error_reporter(&silence);
  load(autoscheduler);
  // One thread, of whose caches the second has a chunk: chunks are what runs in parallel.
  constexpr int threads = 1;
  constexpr uint64_t cacheBytes = uint64_t(1) << 20;
  constexpr float costOfLoad = 40;
  H::Pipeline(funcs.result).auto_schedule(autoscheduler, target, H::MachineParams(threads, cacheBytes, costOfLoad));
}

} // namespace attnc::halide
