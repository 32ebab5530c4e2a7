// Fuzzes schedules of Halide: an arbitrary text gives an error with a location, or a schedule whose text parses to the
// same schedule.
#include "compiler/Codegen/Halide/Schedule/ScheduleText.h"
#include <cstdlib>

using namespace attnc::halide;

static void require(bool condition) {
  if (!condition)
    abort();
}

/// Returns a convolution over any number of images, an elementwise stage, and a maximum over any number of elements.
static std::vector<Stage> makeStages() {
  Size any{.number = 0, .factor = 1};
  auto make = [](std::vector<Loop> loops, std::vector<unsigned> result, std::optional<Fold> fold) {
    Stage stage;
    stage.loops = std::move(loops);
    stage.result = std::move(result);
    stage.fold = fold;
    return stage;
  };
  std::vector<Loop> ofConvolution = {{any}, {{4}}, {{14}}, {{64}}, {{3}, true}, {{3}, true}, {{8}, true}};
  Stage convolution = make(std::move(ofConvolution), {0, 1, 2, 3}, Fold::Add);
  Stage pointwise = make({{any}, {{12}}}, {1, 0}, std::nullopt);
  Stage maximum = make({{{7}}, {{8}}, {any, true}}, {0, 1}, Fold::Max);
  return {convolution, pointwise, maximum};
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const std::vector<Stage> stages = makeStages();
  std::string_view text(reinterpret_cast<const char *>(data), size);
  for (const Stage &stage : stages)
    for (Machine machine : {Machine{}, Machine{.lanes = 8, .registers = 16}}) {
      std::string error;
      auto schedule = parseSchedule(stage, machine, text, error);
      require(schedule.has_value() == error.empty());
      if (!schedule)
        continue;
      std::string once = textOf(stage, *schedule);
      auto again = parseSchedule(stage, machine, once, error);
      require(again && textOf(stage, *again) == once);
    }
  return 0;
}
