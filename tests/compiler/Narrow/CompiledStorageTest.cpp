// Compiles programs stored in 16 bits, runs them and compares them as `attnc run --check --precision` does: results are
// within the bounds after the narrow phase, and beyond them if the phase ignores conditioning.
#include "compiler/Pipeline/ModelName.h"
#include "tools/attnc/Call/LoadedModel.h"
#include "tools/attnc/Call/Oracle.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace attnc {
namespace {

struct Subject {
  const char *file, *entry;
  std::vector<std::string> dims = {"seq=150"}, inputs = {};
  bool hasBound = true; ///< true if storage that ignores conditioning exceeds the bounds, at least in bf16
};

void PrintTo(const Subject &subject, std::ostream *out) { *out << subject.entry << " of " << subject.file; }

std::vector<Subject> subjects() {
  constexpr bool isIllConditioned = false; // by its inputs, or because only near ties change
  std::vector<Subject> subjects = {{"llama.attn", "logits", {"batch=1", "seq=12"}},
                                   {"positions.attn", "ids", {"seq=150"}, {"position=random:8192"}},
                                   {"positions.attn", "times", {"seq=150"}, {}, isIllConditioned},
                                   {"positions.attn", "choice", {"seq=450"}, {}, isIllConditioned}};
  for (const char *entry : {"rotary", "sinusoids", "frequencies", "linear_biases", "buckets", "steps", "turned_sums",
                            "multiplied", "looked_up", "differences"})
    subjects.push_back({"positions.attn", entry});
  for (const char *attention : {"relative", "turned_values"})
    subjects.push_back({"positions.attn", attention, {"seq=32"}});
  return subjects;
}

class CompiledStorage : public testing::TestWithParam<Subject> {
protected:
  static CompileOptions optionsOf(Precision precision) {
    CompileOptions options;
    options.input = std::string(ATTNC_INPUTS "/") + GetParam().file;
    options.entries = {GetParam().entry};
    options.precision = precision;
    if (options.entries[0] == "logits")
      options.settings = {{"layers", "1"}};
    options.reproducerDirectory = "";
    return options;
  }

  static void compileRight(const CompileOptions &options, Compilation &compilation) {
    std::string messages;
    llvm::raw_string_ostream stream(messages);
    ASSERT_EQ(compile(options, compilation, stream), Outcome::Done) << messages;
  }

  /// Narrows all storage that may be narrow, and ignores conditioning.
  static void compileWrong(CompileOptions options, Compilation &compilation) {
    Compilation kernels;
    std::string messages;
    llvm::raw_string_ostream stream(messages);
    bool isBf16 = options.precision == Precision::BF16;
    options.precision = Precision::F32;
    options.dump = Phase::Fuse;
    ASSERT_EQ(compile(options, kernels, stream), Outcome::Done) << messages;
    mlir::Builder builder(&kernels.context);
    mlir::FloatType element = builder.getF16Type();
    if (isBf16)
      element = builder.getBF16Type();
    narrowStorage(
        *kernels.module, element, [](mlir::func::FuncOp) { return Verdict::yes(); }, /*usesConditioning=*/false);
    RecordedOptions recorded;
    recorded.target = options.target;
    recorded.prefix = prefixOf(options.input);
    auto bytes = recordModule(*kernels.module, recorded);
    ASSERT_TRUE(mlir::succeeded(bytes));
    RecordedModule module = llvm::cantFail(readModule(*bytes, compilation.context));
    ASSERT_EQ(compileAgain(options.input, std::move(module), "", compilation, stream), Outcome::Done) << messages;
  }

  /// Returns the results beyond their bounds as `run --check` finds them, with differences and bounds; otherwise "".
  static std::string faultOf(const CompileOptions &options, const Compilation &compilation) {
    llvm::StringRef object(compilation.object.data(), compilation.object.size());
    LoadedModel loaded = llvm::cantFail(LoadedModel::fromObject(llvm::MemoryBuffer::getMemBufferCopy(object)));
    InvocationOptions how;
    how.inputs = GetParam().inputs;
    how.dims = GetParam().dims;
    how.fillMissing = true;
    how.threads = 1;
    auto call = llvm::cantFail(Invocation::create(loaded.model(), how));
    llvm::cantFail(call->run());
    auto deviations = compareWithOracle(options, compilation, *call, parametersOf(*call), 8);
    if (!deviations)
      return llvm::toString(deviations.takeError()); // the stored integers are out of range of a table
    std::string fault;
    for (const Deviation &each : *deviations)
      if (!each.isWithin(8))
        fault += fmt::format("{}: {} > {}, stored {}\n", each.name, each.difference, each.limit(8), each.storedBy);
    return fault;
  }
};

TEST_P(CompiledStorage, IsWithinItsBoundsByTheRuleAlone) {
  for (Precision precision : {Precision::BF16, Precision::F16}) {
    SCOPED_TRACE(nameOf(precision).str());
    CompileOptions options = optionsOf(precision);
    Compilation right, wrong;
    compileRight(options, right);
    EXPECT_EQ(faultOf(options, right), "");
    if (!GetParam().hasBound || precision != Precision::BF16)
      continue;
    compileWrong(options, wrong);
    EXPECT_NE(faultOf(options, wrong), "");
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, CompiledStorage, testing::ValuesIn(subjects()), [](const auto &info) {
  return std::string(info.param.file, std::string(info.param.file).find('.')) + "_" + info.param.entry;
});

} // namespace
} // namespace attnc
