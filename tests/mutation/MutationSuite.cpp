#include "tests/mutation/MutationSuite.h"
#include "compiler/Codegen/CPU/CpuEmitter.h"
#include "compiler/Reference/Tolerance.h"
#include "tests/support/ParsedModule.h"
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace attnc {

static bool isClose(const HostArray &found, const reference::Array &expected, double tolerance) {
  double limit = tolerance * reference::largestMagnitude(expected.values);
  for (int64_t i = 0; i < found.size(); ++i)
    if (!reference::agree(found.f32()[i], expected.values[i], limit))
      return false;
  return true;
}

MutationSuite::MutationSuite(Subject given) : subject(std::move(given)), emitter(createCpuEmitter()) {
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

bool MutationSuite::kernelAgrees() {
  KernelRunner runner(subject.kernel, *emitter, mutationTarget);
  EXPECT_TRUE(runner) << runner.message();
  return runner && agrees(runner);
}

int MutationSuite::sites(std::string_view kind) {
  MutatingEmitter counting(*emitter, kind);
  KernelRunner runner(subject.kernel, counting, mutationTarget);
  EXPECT_TRUE(runner) << runner.message();
  return counting.sites();
}

// A process of its own: the mutant may crash or never end.
Outcome MutationSuite::outcomeOf(const Mutation &mutation) {
  pid_t child = fork();
  if (child == 0) {
    alarm(20);
    rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    freopen("/dev/null", "w", stderr);
    MutatingEmitter mutating(*emitter, mutation.kind, mutation.site);
    KernelRunner runner(subject.kernel, mutating, mutationTarget);
    _exit(!runner ? Invalid : agrees(runner) ? Survived : Caught);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? Outcome(WEXITSTATUS(status)) : Caught;
}

std::string MutationSuite::describe(const Mutation &mutation) {
  MutatingEmitter mutating(*emitter, mutation.kind, mutation.site);
  KernelRunner runner(subject.kernel, mutating, mutationTarget);
  return fmt::format("{} {}: {}", mutation.kind, mutation.site, mutating.mutated());
}

bool MutationSuite::agrees(KernelRunner &runner) {
  for (auto [choice, results] : llvm::zip_equal(subject.choices, expected))
    for (Placement placement : {Placement::AgainstEnd, Placement::AgainstStart}) {
      RunOptions options;
      options.placement = placement;
      auto found = runner.run(choice.given.empty() ? choice.operands : choice.given, choice.resultShapes, options);
      for (size_t result = 0; result < found.size(); ++result)
        if (!isClose(found[result], results[result], subject.tolerance))
          return false;
    }
  return true;
}

MutationSuite::Tally MutationSuite::tally(std::string_view kind, int most) {
  Tally result;
  int found = sites(kind), taken = std::min(found, most);
  for (int number = 0; number < taken; ++number) {
    Mutation mutation{kind, static_cast<int>(int64_t(number) * found / taken)};
    Outcome outcome = outcomeOf(mutation);
    result.caught += outcome == Caught;
    if (outcome == Survived) {
      ++result.survived;
      result.survivors += describe(mutation) + "\n";
    }
  }
  return result;
}

void MutationSuite::expectCaught(int most, const std::vector<Harmless> &harmless) {
  int caught = 0;
  for (std::string_view kind : mutationKinds()) {
    Tally result = tally(kind, most);
    caught += result.caught;
    auto known = llvm::find_if(harmless, [&](const Harmless &each) { return each.kind == kind; });
    int allowed = known != harmless.end() ? known->most : 0;
    EXPECT_LE(result.survived, allowed) << result.survivors
                                        << (allowed ? fmt::format("harmless: {}\n", known->why) : "");
  }
  EXPECT_GT(caught, 0);
  testing::Test::RecordProperty("caught", caught);
}

void MutationSuite::expectCaught(int most, double share) {
  Tally sum;
  for (std::string_view kind : mutationKinds()) {
    Tally result = tally(kind, most);
    EXPECT_TRUE(result.caught || !result.survived) << "none by " << kind << " is caught:\n" << result.survivors;
    sum.caught += result.caught;
    sum.survived += result.survived;
    sum.survivors += result.survivors;
  }
  EXPECT_GT(sum.caught, 0);
  EXPECT_GE(sum.caught, share * (sum.caught + sum.survived)) << sum.survivors;
  testing::Test::RecordProperty("caught", sum.caught);
}

} // namespace attnc
