#include "tools/attnc/Tune/Search.h"
#include <gmock/gmock.h>

using namespace attnc;
using testing::Contains;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Key;
using testing::Not;

namespace {

struct Search : testing::Test {
  KernelSearch kernel = {"f_gemm_0", "85af", KernelKind::Gemm, {}, {}};
  Settings has = {{"emitter", "cpu"}, {"mr", "4"}};
  std::vector<std::string> emitters = {"halide", "cpu"};
  Target target = llvm::cantFail(Target::resolve("x86-64-v3"));

  std::vector<std::string> open(std::vector<std::string> only = {}) {
    std::vector<std::string> texts;
    for (const Settings &each : kernel.open(has, emitters, target, only))
      texts.push_back(textOf(each));
    return texts;
  }
};

} // namespace

TEST_F(Search, ChangesOneThing) {
  EXPECT_THAT(open(), ElementsAre("mr=2", "mr=3", "mr=5", "mr=8", "emitter=halide"));
}

TEST_F(Search, ChangesTheBest) {
  kernel.best = {{"emitter", "cpu"}};
  EXPECT_THAT(open(), Contains("emitter=cpu mr=8"));
}

TEST_F(Search, TriesNothingTwice) {
  kernel.tried = {"mr=2", "emitter=halide"};
  EXPECT_THAT(open(), ElementsAre("mr=3", "mr=5", "mr=8"));
}

TEST_F(Search, SplitsChanges) {
  Changes all = {{"a", {{"mr", "2"}}}, {"b", {{"mr", "3"}}}, {"c", {{"mr", "4"}}}};
  auto [first, second] = halvesOf(all);
  EXPECT_THAT(first, ElementsAre(Key("a")));
  EXPECT_THAT(second, ElementsAre(Key("b"), Key("c")));
  first.merge(second);
  EXPECT_EQ(first, all);
}

TEST_F(Search, KnowsItsKeys) {
  std::vector<std::string> keys = searchedKeys();
  EXPECT_THAT(keys, IsSupersetOf({"emitter", "mr", "form"}));
  EXPECT_THAT(keys, Not(Contains("halide")));
  EXPECT_THAT(open(keys), ElementsAreArray(open()));
}

TEST_F(Search, ChangesNothingElseWhereKeysAreNamed) {
  EXPECT_THAT(open({"emitter"}), ElementsAre("emitter=halide"));
  EXPECT_THAT(open({"mr", "emitter"}), ElementsAre("mr=2", "mr=3", "mr=5", "mr=8", "emitter=halide"));
  EXPECT_THAT(open({"nr"}), IsEmpty());
}
