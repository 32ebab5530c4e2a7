// Tests that every random stage has a schedule that its text reproduces, for all extents and terms of any loops.
#include "compiler/Codegen/Halide/Schedule/ScheduleText.h"
#include "compiler/Codegen/Halide/Schedule/Staging.h"
#include <gtest/gtest.h>
#include <random>

namespace attnc::halide {
namespace {

class StageDrawer {
public:
  explicit StageDrawer(unsigned seed) : random(seed) {}

  Stage draw() {
    Stage stage;
    unsigned dimensions = 1 + below(3), summed = below(3), loads = 1 + below(3);
    for (unsigned loop = 0; loop < dimensions + summed; ++loop)
      stage.loops.push_back({drawSize(), loop >= dimensions});
    for (unsigned loop = 0; loop < dimensions; ++loop)
      stage.result.push_back(loop);
    for (unsigned load = 0; load < loads; ++load) {
      unsigned element = drawLoad(stage);
      stage.value = load == 0 ? element : stage.add({Op::Mul, ATTN_F32, {stage.value, element}});
    }
    if (summed == 0)
      return stage;
    stage.fold = below(3) == 0 ? Fold::Max : Fold::Add;
    stage.start = stage.add({Op::Number, ATTN_F32});
    for (unsigned loop = dimensions; loop < stage.loops.size(); ++loop)
      if (!dependsOn(stage, stage.value, loop))
        stage.value = stage.add({Op::Repeated, ATTN_F32, {stage.value, indexOf(stage, loop)}});
    return stage;
  }

private:
  unsigned below(unsigned end) { return random() % end; }

  Size drawSize() {
    constexpr int64_t numbers[] = {1, 2, 3, 7, 16, 50, 64, 1000, 65536};
    unsigned number = below(std::size(numbers) + 3);
    return number < std::size(numbers) ? Size{numbers[number]} : Size{0, 1, below(2)};
  }

  static unsigned indexOf(Stage &stage, unsigned loop) { return stage.add({Op::Index, ATTN_I32, {}, 0, loop}); }

  /// Draws a load from a tensor whose dimensions are some of the loops in any order, or from its border.
  unsigned drawLoad(Stage &stage) {
    std::vector<unsigned> loops;
    for (unsigned loop = 0; loop < stage.loops.size(); ++loop)
      if (below(2) == 0)
        loops.insert(loops.begin() + below(loops.size() + 1), loop);
    Buffer buffer;
    std::vector<unsigned> subscripts;
    for (unsigned loop : loops) {
      buffer.shape.push_back(stage.loops[loop].size);
      unsigned index = indexOf(stage, loop);
      if (below(4) == 0) // an index that is no sum of loops
        index = stage.add({Op::Min, ATTN_I32, {index, stage.add({Op::Integer, ATTN_I32, {}, 0, 3})}});
      subscripts.push_back(index);
    }
    stage.buffers.push_back(buffer);
    auto number = static_cast<int64_t>(stage.buffers.size() - 1);
    return stage.add({Op::Load, ATTN_F32, subscripts, 0, number});
  }

  std::mt19937 random;
};

TEST(StageSchedule, EveryStageHasOneThatIsReadBack) {
  StageDrawer drawer(1);
  for (Machine machine : {Machine{16, 32}, Machine{8, 16}})
    for (int number = 0; number < 2000; ++number) {
      for (const PlannedStage &planned : planStages(drawer.draw(), machine)) {
        const Stage &stage = planned.stage;
        std::string reason;
        auto schedule = chooseSchedule(stage, machine, reason);
        ASSERT_TRUE(schedule) << reason;
        std::string text = textOf(stage, *schedule);
        std::optional<Schedule> read = parseSchedule(stage, machine, text, reason);
        ASSERT_TRUE(read) << text << ": " << reason;
        EXPECT_EQ(textOf(stage, *read), text);
      }
    }
}

} // namespace
} // namespace attnc::halide
