#include "tools/attnc/Page/Chart.h"
#include <cmath>
#include <gmock/gmock.h>

using namespace attnc;
using testing::HasSubstr;
using testing::Not;

TEST(Chart, DrawsALineThroughItsPointsAndGoesOnBehindAGap) {
  Chart chart{
      "loss", {"steps", 0, 10}, {"loss", 0, 1}, {{"training", Series::Kind::Line, {{0, 0}, {5, NAN}, {10, 1}}}}};
  EXPECT_THAT(svgOf(chart), HasSubstr("aria-label=\"training\"><polyline points=\"70.0,370.0 880.0,30.0 \"/>"));
}

TEST(Chart, CutsLinesOffAtItsEdges) {
  Chart chart{"roof", {"x", 0, 10}, {"y", 0, 1}, {{"roof", Series::Kind::Line, {{0, -1}, {10, 1}, {20, 1}, {20, 9}}}}};
  EXPECT_THAT(svgOf(chart), HasSubstr("aria-label=\"roof\"><polyline points=\"475.0,370.0 880.0,30.0 880.0,30.0 \"/>"));
  chart.series[0].points = {{2, 2}, {4, 0.5}, {6, 2}, {7, 2}, {8, 0}};
  EXPECT_THAT(svgOf(chart), HasSubstr("/><polyline points=\""));
}

TEST(Chart, NamesPointsAndEscapesNames) {
  Chart chart{"roofline",
              {"FLOP/B", 0.1, 100, true},
              {"GFLOP/s", 1, 1000, true},
              {{"", Series::Kind::Points, {{1, 10, "a<b"}, {1000, 10, "beyond"}}}}};
  std::string svg = svgOf(chart);
  EXPECT_THAT(svg, HasSubstr("<title>a&lt;b: 1, 10</title>"));
  EXPECT_THAT(svg, Not(HasSubstr("beyond")));
}

TEST(Chart, WithoutPointsIsAnEmptyGrid) {
  EXPECT_THAT(svgOf(Chart{"nothing", Axis::over("x", {}), Axis::over("y", {}), {}}), HasSubstr("<line"));
}

TEST(BarChart, TheLongestIsTheLargest) {
  std::string svg = svgOf(BarChart{"times", "ms", {{"online", 2, "1.0 x"}, {"unfused", 8}, {"failed", NAN}}});
  EXPECT_THAT(svg, HasSubstr("aria-label=\"online\"><rect x=\"260\" y=\"7\" width=\"110.0\""));
  EXPECT_THAT(svg, HasSubstr("aria-label=\"unfused\"><rect x=\"260\" y=\"31\" width=\"440.0\""));
  EXPECT_THAT(svg, HasSubstr("aria-label=\"failed\"><rect x=\"260\" y=\"55\" width=\"0.0\""));
}

TEST(DotChart, NamesRowsAndTellsOfDots) {
  std::string svg = svgOf(DotChart{
      "changes", {"mix h=0", "mix h=1"}, {"change", 0, 1}, {{"erased", Series::Kind::Points, {{0.5, 1, "mix h=1"}}}}});
  EXPECT_THAT(svg, HasSubstr("text-anchor=\"end\">mix h=0</text>"));
  EXPECT_THAT(svg, HasSubstr("<g class=\"series-0\" aria-label=\"erased\">"));
  EXPECT_THAT(svg, HasSubstr("<circle cx=\"570.0\" cy=\"64.0\" r=\"4\"><title>mix h=1, erased: 0.5</title>"));
}

TEST(BoxChart, NamesBoxesThatHaveRoomAndTellsOfTheOthers) {
  std::string svg =
      svgOf(BoxChart{"arena", {"steps", 0, 10}, {"MB", 0, 1}, {{0, 5, 0, 0.5, "x"}, {5, 10, 0, 0.01, "y"}}});
  EXPECT_THAT(svg, HasSubstr("<title>x</title><rect x=\"70.0\" y=\"200.0\" width=\"405.0\" height=\"170.0\"/><text"));
  EXPECT_THAT(svg, HasSubstr("<title>y</title><rect x=\"475.0\" y=\"366.6\" width=\"405.0\" height=\"3.4\"/></g>"));
}
