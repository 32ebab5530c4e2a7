// Mutants of an attention kernel, compared with the oracle: nearly all are caught, and the rest change nothing.
#include "tests/mutation/Mutation.h"
#include "compiler/Codegen/CPU/CpuEmitter.h"
#include "compiler/Reference/Reference.h"
#include "tests/compiler/Codegen/CPU/AttendKernels.h"
#include "tests/support/ParsedModule.h"
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace attnc {
namespace {

/// Operands to compare on.
struct Choice {
  std::vector<HostArray> operands;
  std::vector<std::vector<int64_t>> resultShapes;
};

struct Subject {
  std::string kernel;
  std::vector<Choice> choices;
  double tolerance = attendTolerance;
};

enum Outcome { Survived = 0, Caught = 1, Invalid = 2 };

bool isClose(const HostArray &found, const reference::Array &expected, double tolerance) {
  double limit = tolerance * reference::largestMagnitude(expected.values);
  for (int64_t i = 0; i < found.size(); ++i)
    if (!reference::agree(found.f32()[i], expected.values[i], limit))
      return false;
  return true;
}

class Suite {
public:
  explicit Suite(Subject given) : subject(std::move(given)), emitter(createCpuEmitter()) {
    ParsedModule parsed(subject.kernel);
    EXPECT_TRUE(parsed) << parsed.diagnostics();
    for (const Choice &choice : subject.choices) {
      std::vector<reference::Array> inputs;
      for (const HostArray &operand : choice.operands) {
        reference::Array &input = inputs.emplace_back(reference::Element::F32, operand.shape);
        std::copy(operand.f32(), operand.f32() + operand.size(), input.values.begin());
      }
      auto results = reference::interpret(parsed.function(), inputs);
      if (!results)
        ADD_FAILURE() << llvm::toString(results.takeError());
      expected.push_back(results ? *results : std::vector<reference::Array>());
    }
  }

  int sites(std::string_view kind) {
    MutatingEmitter counting(*emitter, kind);
    KernelRunner runner(subject.kernel, counting);
    EXPECT_TRUE(runner) << runner.message();
    return counting.sites();
  }

  /// Compiles and runs a mutant in a process of its own: it may crash or never end.
  Outcome outcomeOf(const Mutation &mutation) {
    pid_t child = fork();
    if (child == 0) {
      alarm(20);
      rlimit none = {0, 0};
      setrlimit(RLIMIT_CORE, &none);
      freopen("/dev/null", "w", stderr);
      MutatingEmitter mutating(*emitter, mutation.kind, mutation.site);
      KernelRunner runner(subject.kernel, mutating);
      _exit(!runner ? Invalid : agrees(runner) ? Survived : Caught);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? Outcome(WEXITSTATUS(status)) : Caught;
  }

  std::string describe(const Mutation &mutation) {
    MutatingEmitter mutating(*emitter, mutation.kind, mutation.site);
    KernelRunner runner(subject.kernel, mutating);
    return fmt::format("{} {}: {}", mutation.kind, mutation.site, mutating.mutated());
  }

  bool agrees(KernelRunner &runner) {
    for (auto [choice, results] : llvm::zip_equal(subject.choices, expected))
      for (bool guardBefore : {false, true}) {
        RunOptions options;
        options.guardBefore = guardBefore;
        auto found = runner.run(choice.operands, choice.resultShapes, options);
        for (size_t result = 0; result < found.size(); ++result)
          if (!isClose(found[result], results[result], subject.tolerance))
            return false;
      }
    return true;
  }

private:
  Subject subject;
  std::unique_ptr<Emitter> emitter;
  std::vector<std::vector<reference::Array>> expected;
};

/// Up to `most` sites of each kind, evenly spread. At least `share` of the mutants are to be caught; survivors are
/// listed.
void expectCaught(Suite suite, int most, double share) {
  int caught = 0, all = 0;
  std::string survivors;
  for (std::string_view kind : mutationKinds()) {
    int sites = suite.sites(kind), taken = std::min(sites, most), before = caught;
    for (int number = 0; number < taken; ++number) {
      Mutation mutation{kind, static_cast<int>(int64_t(number) * sites / taken)};
      Outcome outcome = suite.outcomeOf(mutation);
      caught += outcome == Caught;
      all += outcome != Invalid;
      if (outcome == Survived)
        survivors += suite.describe(mutation) + "\n";
    }
    EXPECT_GT(caught, before) << "none of " << taken << " mutants by " << kind << " is caught";
  }
  EXPECT_GE(caught, share * all) << survivors;
  testing::Test::RecordProperty("mutants", all);
  testing::Test::RecordProperty("caught", caught);
}

/// Attention in a causal window over blocks of 16 keys, so that rows are rescaled, blocks are partly masked or skipped
/// and some rows are empty; by length of queries and keys, and with what may not be a number.
Subject windowedAttention() {
  AttendKernel kernel;
  kernel.dim = 24, kernel.valueDim = 20, kernel.group = 2;
  kernel.schedule = "tile_kv = 16 : i64";
  kernel.mask = "%behind = arith.subi %i, %j : index %width = arith.constant 100 : index "
                "%near = arith.cmpi slt, %behind, %width : index %past = arith.cmpi sle, %j, %i : index "
                "%m = arith.andi %near, %past : i1";
  kernel.yields = "\"value\", \"lse\"";
  Subject subject{kernel.text(), {}, 2e-5};
  auto add = [&](int64_t queries, int64_t keys, float range) -> std::vector<HostArray> & {
    kernel.queries = queries, kernel.keys = keys;
    return subject.choices.emplace_back(Choice{kernel.operands(range), kernel.resultShapes()}).operands;
  };
  add(190, 200, 1);
  add(190, 200, 12);
  add(5, 40, 1);
  add(130, 17, 1);
  std::vector<HostArray> &special = add(190, 200, 1);
  special[1].f32()[24 * 10] = std::numeric_limits<float>::quiet_NaN();
  special[1].f32()[24 * 50] = std::numeric_limits<float>::infinity();
  return subject;
}

TEST(Mutation, TheKernelItselfAgrees) {
  Subject subject = windowedAttention();
  KernelRunner runner(subject.kernel, *createCpuEmitter());
  ASSERT_TRUE(runner) << runner.message();
  EXPECT_TRUE(Suite(subject).agrees(runner));
}

TEST(Mutation, WindowedAttention) { expectCaught(Suite(windowedAttention()), 5, 0.65); }

} // namespace
} // namespace attnc
