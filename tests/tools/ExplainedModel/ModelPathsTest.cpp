// Tests the paths of launches in a model, by parameters, attentions, consumers and results.
#include "tools/attnc/ExplainedModel/ModelPaths.h"
#include <gmock/gmock.h>

using testing::ElementsAre;

namespace attnc {
namespace {

using Number = std::optional<size_t>;

ExplainedEdge reads(size_t launch, std::string parameter) {
  return {std::nullopt, Number(launch), std::move(parameter), 4, false, true};
}
ExplainedEdge input(size_t launch, std::string name) {
  return {std::nullopt, Number(launch), std::move(name), 4, false, false};
}
ExplainedEdge between(size_t from, size_t to) { return {Number(from), Number(to), "", 4, false, false}; }
ExplainedEdge result(size_t launch, std::string name) {
  return {Number(launch), std::nullopt, std::move(name), 4, false, false};
}

LaunchOrigins origins(size_t launches) {
  return {std::vector<std::set<std::string>>(launches), std::vector<std::set<std::string>>(launches)};
}

TEST(ModelPathsTest, ParametersOfOneModuleGiveItsPath) {
  EXPECT_THAT(modelPaths(origins(1), {reads(0, "blocks.mix.qkv.weight"), reads(0, "blocks.mix.qkv.bias")}),
              ElementsAre("blocks.mix.qkv"));
}

TEST(ModelPathsTest, ParametersOfSeveralModulesGiveEachPath) {
  EXPECT_THAT(modelPaths(origins(1), {reads(0, "blocks.norm2.gain"), reads(0, "blocks.mix.out.bias")}),
              ElementsAre("blocks.mix.out + blocks.norm2"));
}

TEST(ModelPathsTest, ParameterOfTheModelStandsForItself) {
  EXPECT_THAT(modelPaths(origins(1), {reads(0, "temperature"), input(0, "tokens")}), ElementsAre("temperature"));
}

TEST(ModelPathsTest, AttentionStandsForModulesInsideOfIt) {
  LaunchOrigins given = origins(1);
  given.attentions[0] = {"blocks.mix"};
  EXPECT_THAT(modelPaths(given, {reads(0, "blocks.mix.distance.table")}), ElementsAre("blocks.mix"));
  EXPECT_THAT(modelPaths(given, {reads(0, "blocks.mixture.weight")}), ElementsAre("blocks.mix + blocks.mixture"));
}

TEST(ModelPathsTest, StatesOfAnOptimizerAreNoPlaceBesideTheirParameter) {
  EXPECT_THAT(modelPaths(origins(1), {reads(0, "out.weight"), reads(0, "train.m.out.weight"),
                                      reads(0, "train.v.out.weight")}),
              ElementsAre("out"));
  EXPECT_THAT(modelPaths(origins(1), {reads(0, "class"), reads(0, "train.m.class")}), ElementsAre("class"));
}

TEST(ModelPathsTest, UpdatedParameterNamesWhatReadsNone) {
  LaunchOrigins given = origins(2);
  given.written[1] = {"out.weight"};
  EXPECT_THAT(modelPaths(given, {input(0, "x"), between(0, 1)}), ElementsAre("out", "out"));
}

TEST(ModelPathsTest, ConsumersAgreeOrTheResultDecides) {
  LaunchOrigins given = origins(3);
  std::vector<ExplainedEdge> edges = {reads(1, "up.weight"), between(0, 1), between(0, 2), result(2, "loss")};
  EXPECT_THAT(modelPaths(given, edges), ElementsAre("up", "up", "loss"));
  edges.push_back(reads(2, "down.weight"));
  EXPECT_THAT(modelPaths(given, edges), ElementsAre("", "up", "down"));
  EXPECT_THAT(modelPaths(origins(1), {input(0, "x")}), ElementsAre(""));
}

} // namespace
} // namespace attnc
