#include "tools/attnc/Page/ShadeMap.h"
#include <cmath>
#include <gmock/gmock.h>

using namespace attnc;
using testing::HasSubstr;
using testing::Not;

TEST(ShadeMap, DrawsCellsOfOneShadeInARowAsOne) {
  std::string figure = figureOf({"causal", 2, 3, {1, 0, 0, 1, 1, 0}});
  EXPECT_THAT(figure, HasSubstr("<path fill-opacity=\"1.00\" d=\"M0 0h1v1h-1zM0 1h2v1h-2z\"/>"));
}

TEST(ShadeMap, LeavesEmptyWhatIsZeroOrNoNumber) {
  EXPECT_THAT(figureOf({"map", 1, 3, {0, NAN, -1}}), Not(HasSubstr("<path")));
}

TEST(ShadeMap, NamesRowsAndColumns) {
  std::string figure = figureOf({"map", 1, 1, {4}, 1, {"<s>"}, {"k"}});
  EXPECT_THAT(figure, HasSubstr("<text x=\"-0.7\" y=\"0.8\">&lt;s&gt;</text>"));
  EXPECT_THAT(figure, HasSubstr("<text x=\"0.5\" y=\"-0.3\">k</text>"));
}

TEST(ShadeMap, TurnsLongNamesOfColumns) {
  std::string figure = figureOf({"map", 1, 1, {4}, 1, {"the"}, {"größer"}});
  EXPECT_THAT(figure, HasSubstr("viewBox=\"-3.5 -3.5 4.5 4.5\""));
  EXPECT_THAT(figure, HasSubstr("<text class=\"row\" x=\"-0.3\" y=\"0.8\">the</text>"));
  EXPECT_THAT(figure, HasSubstr("<text class=\"long\" transform=\"translate(0.8 -0.3) rotate(-90)\">größer</text>"));
}

TEST(ShadeMap, HasCellsAsWideAsWhatTheyStandFor) {
  std::string figure = figureOf({"blocks", 2, 1, {1, 1}, 2});
  EXPECT_THAT(figure, HasSubstr("viewBox=\"0 0 2 2\""));
  EXPECT_THAT(figure, HasSubstr("<rect width=\"2\" height=\"2\"/><g transform=\"scale(2 1)\">"));
}
