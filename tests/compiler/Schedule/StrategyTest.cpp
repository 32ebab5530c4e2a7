#include "compiler/Schedule/Strategy.h"
#include "compiler/Codegen/Interface/RequestedEmitter.h"
#include "compiler/Schedule/Schedule.h"
#include "tests/support/ParsedModule.h"
#include "llvm/ADT/StringExtras.h"
#include <gtest/gtest.h>

namespace attnc {
namespace {

std::vector<Override> parsed(std::initializer_list<const char *> texts) {
  std::vector<Override> overrides;
  for (const char *text : texts)
    overrides.push_back(llvm::cantFail(parseOverride(text)));
  return overrides;
}

template <typename T> std::string errorOf(llvm::Expected<T> value) {
  return value ? "" : llvm::toString(value.takeError());
}

TEST(Strategy, RefusalsAreOfTheModelOfPlacesAndOfKernels) {
  auto refusals = llvm::cantFail(fusionOverrides(
      parsed({"model.fusion=none", "a/gpt.attn:41:9.epilogue-fused=no", "f_rows_0.rows-fused=no", "gemm.mr=6"})));
  ASSERT_EQ(refusals.size(), 3u);
  EXPECT_EQ(refusals[0].fusion, "");
  EXPECT_EQ(refusals[0].place + refusals[0].kernel, "");
  EXPECT_EQ(refusals[1].place, "gpt.attn:41:9");
  EXPECT_EQ(refusals[1].fusion, "epilogue-fused");
  EXPECT_TRUE(namesKernel(refusals[2]));
}

TEST(Strategy, WordsThatThereAreNot) {
  EXPECT_EQ(errorOf(fusionOverrides(parsed({"model.fusoin=none"}))),
            "the model has no `fusoin`; it has emitter, fusion, attention-fused, attention-raised, pointwise-fused, "
            "formula-folded, epilogue-fused, rows-fused, view-folded, layout-folded, slice-narrowed; did you mean "
            "`fusion`?");
  EXPECT_EQ(errorOf(fusionOverrides(parsed({"a.attn:1:2.fusion=yes"}))),
            "`fusion` can only be none, not `yes`; leave it out to allow the fusion");
  EXPECT_EQ(errorOf(fusionOverrides(parsed({"a.attn:1:2.rows-fused=yes"}))),
            "`rows-fused` can only be no, not `yes`; leave it out to allow the fusion");
  EXPECT_EQ(errorOf(fusionOverrides(parsed({"gemm.fusion=none"}))),
            "a kind of kernel has no `fusion`; fusions are refused for the model, a source location or a kernel");
  EXPECT_EQ(errorOf(emitterOverride(parsed({"model.emitter=halid"}))),
            "`model.emitter` is auto or cpu or halide, not `halid`; did you mean `halide`?");
}

TEST(Strategy, ARefusalThatRefusesNothingIsWrong) {
  FusionRefusal ofPlace{"rows-fused", "a.attn:1:2", "", {}}, ofModel{"", "", "", {}};
  EXPECT_FALSE(bool(checkHonoured({ofModel})));
  EXPECT_EQ(llvm::toString(checkHonoured({ofPlace})), "`a.attn:1:2.rows-fused=no` refuses nothing: no rows-fused is "
                                                      "made there; `attnc explain --all` lists the fusions that are");
  ofPlace.isHonoured = true;
  EXPECT_FALSE(bool(checkHonoured({ofPlace})));
}

const char *kernels = R"(
func.func private @f_gemm_0() attributes {attn.kernel = "gemm"} { return }
func.func private @f_gemm_1() attributes {attn.kernel = "gemm"} { return }
func.func private @f_rows_0() attributes {attn.kernel = "rows"} { return }
)";

TEST(Strategy, AKindIsAllItsKernels) {
  ParsedModule module(kernels);
  EXPECT_EQ(llvm::cantFail(scheduleOverrides(
                module.get(), parsed({"gemm.mr=6", "f_gemm_1.mr=4", "model.fusion=none", "gemm.emitter=cpu"}))),
            parsed({"f_gemm_0.mr=6", "f_gemm_1.mr=6", "f_gemm_1.mr=4"}));
  EXPECT_EQ(errorOf(scheduleOverrides(module.get(), parsed({"attend.form=decode"}))), "the model has no attend kernel");
  EXPECT_EQ(errorOf(scheduleOverrides(module.get(), parsed({"f_gem_1.mr=4"}))),
            "kernel `f_gem_1` does not exist; did you mean `f_gemm_1`?");
}

/// Accepts rows kernels only.
struct RowsEmitter : Emitter {
  std::string_view name() const override { return "one"; }
  Verdict supports(mlir::func::FuncOp kernel, const Target &) const override {
    return kernelKindOf(kernel) == KernelKind::Rows ? Verdict::yes() : Verdict::no("it is no rows kernel");
  }
  mlir::FailureOr<KernelCode> emit(mlir::func::FuncOp, const Target &, mlir::ModuleOp) const override {
    return mlir::failure();
  }
};

TEST(Strategy, AnEmitterThatDoesNotTakeAKernelSaysWhy) {
  ParsedModule module(kernels);
  Emitters emitters;
  emitters.push_back(std::make_unique<RowsEmitter>());
  auto apply = [&](const char *text) {
    auto notHonoured = applyEmitters(module.get(), parsed({text}), Target(), emitters);
    return notHonoured ? llvm::join(*notHonoured, "\n") : llvm::toString(notHonoured.takeError());
  };
  EXPECT_EQ(apply("f_rows_0.emitter=one"), "");
  EXPECT_EQ(requestedEmitter(module.function("f_rows_0")), "one");
  EXPECT_EQ(apply("f_gemm_0.emitter=one"), "the one emitter does not support kernel `f_gemm_0`: it is no rows kernel");
  EXPECT_EQ(apply("f_rows_0.emitter=ones"), "`emitter` is one on this target, not `ones`; did you mean `one`?");
  EXPECT_EQ(requestedEmitter(module.function("f_rows_0")), "one"); // a tuning database may ignore the error
  // An override of a kind skips the kernels that the emitter does not accept.
  EXPECT_EQ(
      apply("gemm.emitter=one"),
      "gemm.emitter=one was not honoured: the one emitter supports no gemm kernel of the model: it is no rows kernel");
  EXPECT_EQ(requestedEmitter(module.function("f_gemm_1")), std::nullopt);
}

TEST(Strategy, MessagesBeginWithTheOrigin) {
  ParsedModule module(kernels);
  auto said = [](const char *text) { return llvm::cantFail(parseStrategy("a.strategy", text)); };
  EXPECT_EQ(errorOf(fusionOverrides(said("\nf_gemm_0.fusion = no"))),
            "a.strategy:2: `fusion` can only be none, not `no`; leave it out to allow the fusion");
  EXPECT_EQ(errorOf(scheduleOverrides(module.get(), said("attend.form = decode"))),
            "a.strategy:1: the model has no attend kernel");
  EXPECT_EQ(errorOf(scheduleOverrides(module.get(), said("f_gem_1.mr = 4"))),
            "a.strategy:1: kernel `f_gem_1` does not exist; did you mean `f_gemm_1`?");
  auto settings = llvm::cantFail(scheduleOverrides(module.get(), said("gemm.mr = 99")));
  EXPECT_EQ(llvm::toString(applySchedule(module.get(), settings, Target())),
            "a.strategy:1: `mr` is a number from 1 to 14, not `99`");
}

} // namespace
} // namespace attnc
