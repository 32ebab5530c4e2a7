#include "compiler/Codegen/Schedule/ChosenSchedule.h"
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

Target avx512() {
  Target target;
  target.f32Lanes = 16;
  return target;
}

std::string errorOf(std::initializer_list<const char *> settings) {
  ParsedModule module(text);
  std::vector<Override> parsed;
  for (const char *setting : settings) {
    auto each = parseOverride(setting);
    if (!each)
      return llvm::toString(each.takeError());
    parsed.push_back(*each);
  }
  llvm::Error error = applySchedule(module.get(), parsed, avx512());
  return error ? llvm::toString(std::move(error)) : "";
}

TEST(Schedule, SettingsJoinWhatIsThere) {
  ParsedModule module(text);
  ASSERT_TRUE(module) << module.diagnostics();
  llvm::cantFail(applySchedule(module.get(),
                               {{"logits_attend_0", "tile_kv", "128"},
                                {"logits_attend_0", "form", "decode"},
                                {"logits_attend_0", "tile_kv", "64"}},
                               avx512()));
  auto schedule = module.function("logits_attend_0")->getAttrOfType<mlir::DictionaryAttr>("attn.schedule");
  EXPECT_EQ(schedule.getAs<mlir::IntegerAttr>("tile_q").getInt(), 48);
  EXPECT_EQ(schedule.getAs<mlir::IntegerAttr>("tile_kv").getInt(), 64);
  EXPECT_EQ(schedule.getAs<mlir::StringAttr>("form").getValue(), "decode");
}

TEST(Schedule, OneWrongSettingChangesNothing) {
  ParsedModule module(text);
  EXPECT_TRUE(llvm::errorToBool(
      applySchedule(module.get(), {{"logits_gemm_0", "mr", "6"}, {"logits_gemm_0", "tile_kv", "64"}}, avx512())));
  EXPECT_FALSE(module.function("logits_gemm_0")->hasAttr("attn.schedule"));
}

TEST(Schedule, ErrorsNameWhatIsThere) {
  EXPECT_EQ(errorOf({"logits_atend_0.tile_q=48"}),
            "kernel `logits_atend_0` does not exist; did you mean `logits_attend_0`?");
  EXPECT_EQ(errorOf({"logits.tile_q=48"}), "kernel `logits` does not exist");
  EXPECT_EQ(errorOf({"logits_gemm_0.tile_kv=64"}),
            "a gemm kernel has no `tile_kv` in its schedule; it has mr, nr, kc, mc, halide");
  EXPECT_EQ(errorOf({"logits_attend_0.tilekv=64"}),
            "an attend kernel has no `tilekv` in its schedule; it has form, "
            "tile_q, tail_q, tile_kv, decode_rows, split_kv; did you mean `tile_kv`?");
  EXPECT_EQ(errorOf({"logits_loops_0.mr=6"}), "a loops kernel has no `mr` in its schedule; it has chunk, halide");
  EXPECT_EQ(errorOf({"logits_attend_0.form=decod"}),
            "`form` is prefill or decode, not `decod`; did you mean `decode`?");
  EXPECT_EQ(errorOf({"logits_gemm_0.mr=many"}), "`mr` is a number from 1 to 14, not `many`");
  EXPECT_EQ(errorOf({"logits_gemm_0.mr=0"}), "`mr` is a number from 1 to 14, not `0`");
  EXPECT_EQ(errorOf({"logits_gemm_0.mr=15"}), "`mr` is a number from 1 to 14, not `15`");
  EXPECT_EQ(errorOf({"logits_gemm_0.kc=6"}), "`kc` is a multiple of 4 from 4 to 4096, not `6`");
  EXPECT_EQ(errorOf({"logits_gemm_0.nr=5"}), "`nr` is a multiple of 16 from 16 to 64 on this target, not `5`");
  EXPECT_EQ(errorOf({"logits_attend_0.tile_q=80"}),
            "`tile_q` is a multiple of 16 from 16 to 64 on this target, not `80`");
  EXPECT_EQ(errorOf({"logits_attend_0.tail_q=64"}),
            "`tail_q` is a multiple of 16 from 0 to 48 on this target, not `64`");
}

TEST(Schedule, ColumnsOfATileAreThoseOfThePanels) {
  ParsedModule module(R"(
func.func private @g(%a: f32, %b: f32 {attn.packed = {layout = "panels", nr = 48 : i64, transposed = false}})
    attributes {attn.kernel = "gemm"} { return })");
  ASSERT_TRUE(module) << module.diagnostics();
  llvm::cantFail(applySchedule(module.get(), {{"g", "nr", "32"}}, avx512()));
  auto packing = module.function("g").getArgAttrOfType<mlir::DictionaryAttr>(1, "attn.packed");
  EXPECT_EQ(packing.getAs<mlir::IntegerAttr>("nr").getInt(), 32);
}

TEST(Schedule, APackKernelMakesWholePanels) {
  ParsedModule module(R"(
    func.func @f(%x: tensor<4x96xf32>, %w: tensor<96x64xf32>) {
      %p = call @g_pack(%w) : (tensor<96x64xf32>) -> tensor<96x64xf32>
      call @g(%x, %p) : (tensor<4x96xf32>, tensor<96x64xf32>) -> ()
      return
    }
    func.func private @g(%x: tensor<4x96xf32>, %w: tensor<96x64xf32> {attn.packed = {layout = "panels", nr = 64 : i64,
                         transposed = false, batch_dims = 0 : i64, outer_dims = 1 : i64}})
        attributes {attn.kernel = "gemm"} { return }
    func.func private @g_pack(%w: tensor<96x64xf32>) -> tensor<96x64xf32>
        attributes {attn.kernel = "pack", attn.packed = {layout = "panels", nr = 64 : i64, transposed = false,
                    batch_dims = 0 : i64, outer_dims = 1 : i64}} { return %w : tensor<96x64xf32> })");
  ASSERT_TRUE(module) << module.diagnostics();
  llvm::cantFail(applySchedule(module.get(), {{"g", "nr", "32"}}, avx512()));
  auto packing = module.function("g_pack")->getAttrOfType<mlir::DictionaryAttr>("attn.packed");
  EXPECT_EQ(packing.getAs<mlir::IntegerAttr>("nr").getInt(), 32);
  EXPECT_EQ(llvm::toString(applySchedule(module.get(), {{"g", "nr", "48"}}, avx512())),
            "`nr` = 48 is not a divisor of the 64 columns that g_pack packs");
}

TEST(Schedule, NeighboursAreStepsInsideTheRange) {
  using Values = std::vector<std::string>;
  EXPECT_EQ(neighbours(KernelKind::Gemm, "mr", "6", avx512()), (Values{"3", "5", "7", "12"}));
  EXPECT_EQ(neighbours(KernelKind::Gemm, "mr", "14", avx512()), (Values{"7", "13"}));
  EXPECT_EQ(neighbours(KernelKind::Gemm, "nr", "48", avx512()), (Values{"16", "32", "64"}));
  EXPECT_EQ(neighbours(KernelKind::Attend, "form", "prefill", avx512()), (Values{"decode"}));
  EXPECT_EQ(neighbours(KernelKind::Gemm, "tile_q", "16", avx512()), Values());
}

TEST(Schedule, SaysWhatWasNotHonoured) {
  ParsedModule module(text);
  ASSERT_TRUE(module) << module.diagnostics();
  std::vector<Override> settings = {{"logits_attend_0", "tile_q", "16"},
                                    {"logits_attend_0", "tile_q", "64"},
                                    {"logits_attend_0", "split_kv", "512"},
                                    {"logits_gemm_0", "mr", "6"}};
  llvm::cantFail(applySchedule(module.get(), settings, avx512()));
  recordSchedule(module.function("logits_attend_0"), {{"form", llvm::StringRef("prefill")}, {"tile_q", int64_t(48)}});
  recordDeclined(module.function("logits_attend_0"), "tile_q", "there are 48 queries");
  recordSchedule(module.function("logits_gemm_0"), {{"mr", int64_t(6)}});
  EXPECT_EQ(scheduled(module.function("logits_attend_0"), "tile_q"), 64); // the request stays
  EXPECT_EQ(chosenNumber(module.function("logits_attend_0"), "tile_q"), 48);
  EXPECT_EQ(settingsNotHonoured(module.get(), settings),
            (std::vector<std::string>{"logits_attend_0.tile_q=64 was not honoured: the kernel has tile_q = 48: "
                                      "there are 48 queries",
                                      "logits_attend_0.split_kv=512 was not honoured: the kernel does not use it"}));
}

} // namespace
} // namespace attnc
