#include "compiler/Codegen/CPU/AttendGradient/Tiled/GradientTiles.h"
#include "compiler/Codegen/CPU/AttendGradient/Tiled/TrimmedTiles.h"

using namespace mlir;

namespace attnc {

static GradientTiles::Additive takeAdditive(const TiledContext &context, const GradientTanh &tanh) {
  const AttendGradientSchedule &schedule = context.schedule;
  AttendScratch &scratch = context.phase.scratch;
  int64_t features = schedule.paddedTo(tanh.features);
  int64_t rowFloats = features * schedule.tileQ, keyFloats = features * schedule.tileKv;
  GradientTiles::Additive tiles;
  tiles.rowTerms = scratch.take(1, rowFloats);
  tiles.rowPowers = scratch.take(1, rowFloats);
  tiles.keyTerms = scratch.take(1, keyFloats);
  tiles.keyPowers = scratch.take(1, keyFloats);
  tiles.coefficients = scratch.take(1, features);
  tiles.rowSums = scratch.take(1, rowFloats);
  tiles.keySums = scratch.take(1, keyFloats);
  tiles.coefficientSums = scratch.take(1, features * schedule.lanes);
  tiles.pairSum = scratch.take(1, schedule.lanes);
  tiles.termSums = scratch.take(1, features);
  return tiles;
}

GradientTiles::GradientTiles(const TiledContext &context) {
  const AttendGradientProblem &problem = context.problem;
  const AttendGradientSchedule &schedule = context.schedule;
  AttendScratch &scratch = context.phase.scratch;
  Type i32 = context.phase.frame.builder.getI32Type();
  int64_t pairs = schedule.tileQ * schedule.tileKv;
  for (const GradientDot &dot : problem.dots)
    keyPanels.push_back(scratch.take(schedule.paddedTo(dot.features), schedule.tileKv));
  valuePanel = scratch.take(schedule.paddedTo(problem.values), schedule.tileKv);
  for (const GradientTanh &tanh : problem.tanhs)
    additive.push_back(takeAdditive(context, tanh));
  for (size_t i = 0; i < std::max<size_t>(1, problem.dots.size() + problem.tanhs.size()); ++i) {
    scores.push_back(scratch.take(1, pairs));
    gradients.push_back(scratch.take(1, pairs));
  }
  for (size_t i = 0; i < problem.keptPartials.size(); ++i)
    partials.push_back(scratch.take(1, pairs));
  tileEnds = scratch.take(1, schedule.tileQ / TrimmedTiles::step, i32);
  firstTiles = scratch.take(1, schedule.tileKv / TrimmedTiles::step, i32);
  rowLse = scratch.take(problem.attend.rows, 1);
  rowDelta = scratch.take(problem.attend.rows, 1);
}

} // namespace attnc
