#include "compiler/Schedule/Schedule.h"
#include "tests/support/ParsedModule.h"
#include <gtest/gtest.h>

namespace attnc {
namespace {

const char *text = R"(
func.func private @logits_attend_0() attributes {attn.kernel = "attend", attn.schedule = {tile_q = 48 : i64}} { return }
func.func private @logits_gemm_0() attributes {attn.kernel = "gemm"} { return }
func.func private @logits_loops_0() attributes {attn.kernel = "loops"} { return }
func.func @logits() { return }
)";

std::string errorOf(std::initializer_list<const char *> settings) {
  ParsedModule module(text);
  std::vector<ScheduleSetting> parsed;
  for (const char *setting : settings) {
    auto each = parseScheduleSetting(setting);
    if (!each)
      return llvm::toString(each.takeError());
    parsed.push_back(*each);
  }
  llvm::Error error = applySchedule(module.get(), parsed);
  return error ? llvm::toString(std::move(error)) : "";
}

TEST(Schedule, SettingsJoinWhatIsThere) {
  ParsedModule module(text);
  ASSERT_TRUE(module) << module.diagnostics();
  llvm::cantFail(applySchedule(module.get(), {{"logits_attend_0", "tile_kv", "128"},
                                              {"logits_attend_0", "form", "decode"},
                                              {"logits_attend_0", "tile_kv", "64"}}));
  auto schedule = module.function("logits_attend_0")->getAttrOfType<mlir::DictionaryAttr>("attn.schedule");
  EXPECT_EQ(schedule.getAs<mlir::IntegerAttr>("tile_q").getInt(), 48);
  EXPECT_EQ(schedule.getAs<mlir::IntegerAttr>("tile_kv").getInt(), 64);
  EXPECT_EQ(schedule.getAs<mlir::StringAttr>("form").getValue(), "decode");
}

TEST(Schedule, OneWrongSettingChangesNothing) {
  ParsedModule module(text);
  EXPECT_TRUE(llvm::errorToBool(
      applySchedule(module.get(), {{"logits_gemm_0", "mr", "6"}, {"logits_gemm_0", "tile_kv", "64"}})));
  EXPECT_FALSE(module.function("logits_gemm_0")->hasAttr("attn.schedule"));
}

TEST(Schedule, ErrorsNameWhatIsThere) {
  EXPECT_EQ(errorOf({"logits_atend_0.tile_q=48"}),
            "kernel `logits_atend_0` does not exist; did you mean `logits_attend_0`?");
  EXPECT_EQ(errorOf({"logits.tile_q=48"}), "kernel `logits` does not exist");
  EXPECT_EQ(errorOf({"logits_gemm_0.tile_kv=64"}),
            "a gemm kernel has no `tile_kv` in its schedule; it has mr, nr, kc, mc");
  EXPECT_EQ(errorOf({"logits_attend_0.tilekv=64"}), "an attend kernel has no `tilekv` in its schedule; it has tile_q, "
                                                    "tile_kv, form, split_kv; did you mean `tile_kv`?");
  EXPECT_EQ(errorOf({"logits_loops_0.mr=6"}), "a loops kernel has no `mr` in its schedule; it has chunk");
  EXPECT_EQ(errorOf({"logits_attend_0.form=decod"}),
            "`form` is prefill or decode, not `decod`; did you mean `decode`?");
  EXPECT_EQ(errorOf({"logits_gemm_0.mr=many"}), "`mr` is a positive number, not `many`");
  EXPECT_EQ(errorOf({"logits_gemm_0.mr=0"}), "`mr` is a positive number, not `0`");
  EXPECT_EQ(errorOf({"mr=6"}), "`mr=6` is not a schedule setting, expected kernel.key=value");
}

TEST(Schedule, FilesHaveCommentsAndLines) {
  auto settings = parseScheduleFile("a.schedule", "# tuned\nlogits_gemm_0.mr = 6   # rows\n\nlogits_gemm_0.kc=256\n");
  ASSERT_TRUE(bool(settings));
  EXPECT_EQ(*settings, (std::vector<ScheduleSetting>{{"logits_gemm_0", "mr", "6"}, {"logits_gemm_0", "kc", "256"}}));
  EXPECT_EQ(llvm::toString(parseScheduleFile("a.schedule", "\nlogits_gemm_0\n").takeError()),
            "a.schedule:2: `logits_gemm_0` is not a schedule setting, expected kernel.key=value");
}

} // namespace
} // namespace attnc
