#include "tools/attnc/Page/ShadeMap.h"
#include "tools/attnc/Page/HtmlPage.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace attnc {

static constexpr int shades = 12;

/// The shade of a value; 0 for NaN.
static int shadeOf(float value) { return value > 0 ? int(std::sqrt(std::min(value, 1.0f)) * shades + 0.5f) : 0; }

/// A path for each shade that occurs; adjacent cells of a row are one stroke of the path.
static std::string cellsOf(const ShadeMap &map) {
  std::vector<std::string> paths(shades + 1);
  for (int64_t row = 0; row < map.rows; ++row)
    for (int64_t column = 0, next; column < map.columns; column = next) {
      auto shadeAt = [&](int64_t at) { return shadeOf(map.values[row * map.columns + at]); };
      int shade = shadeAt(column);
      for (next = column + 1; next < map.columns && shadeAt(next) == shade;)
        ++next;
      if (shade > 0)
        paths[shade] += fmt::format("M{} {}h{}v1h-{}z", column, row, next - column, next - column);
    }
  std::string cells;
  for (int shade = 1; shade <= shades; ++shade)
    if (!paths[shade].empty())
      cells += fmt::format("<path fill-opacity=\"{:.2f}\" d=\"{}\"/>", double(shade) / shades, paths[shade]);
  return cells;
}

/// The number of characters of the longest name.
static size_t longestOf(const std::vector<std::string> &names) {
  size_t longest = 0;
  for (const std::string &name : names)
    longest = std::max<size_t>(longest, std::ranges::count_if(name, [](char c) { return (c & 0xC0) != 0x80; }));
  return longest;
}

/// The names of rows and columns. Long names of columns are turned, so that they do not overlap.
static std::string namesOf(const ShadeMap &map, bool areLong) {
  std::string names;
  for (size_t at = 0; at < map.columnNames.size(); ++at) {
    double x = (double(at) + 0.5) * map.aspect;
    std::string name = escaped(map.columnNames[at]);
    names += areLong ? fmt::format("<text class=\"long\" transform=\"translate({:g} -0.3) rotate(-90)\">{}</text>",
                                   x + 0.3, name)
                     : fmt::format("<text x=\"{:g}\" y=\"-0.3\">{}</text>", x, name);
  }
  for (size_t at = 0; at < map.rowNames.size(); ++at)
    names += fmt::format("<text {} y=\"{}.8\">{}</text>", areLong ? "class=\"row\" x=\"-0.3\"" : "x=\"-0.7\"", at,
                         escaped(map.rowNames[at]));
  return names;
}

std::string figureOf(const ShadeMap &map) {
  constexpr size_t mostShort = 3;        // characters beside a cell
  constexpr double characterWidth = 0.5; // of the font of svg.map
  size_t longest = std::max(longestOf(map.rowNames), longestOf(map.columnNames));
  std::string labels = namesOf(map, longest > mostShort);
  double room = labels.empty() ? 0 : longest > mostShort ? 0.5 + characterWidth * double(longest) : 1.5;
  double width = double(map.columns) * map.aspect;
  return fmt::format("<figure><svg class=\"map\" viewBox=\"{0} {0} {1:g} {2:g}\" role=\"img\" aria-label=\"{3}\">"
                     "<rect width=\"{4:g}\" height=\"{5}\"/><g transform=\"scale({6:g} 1)\">{7}</g>{8}</svg>"
                     "<figcaption>{3}</figcaption></figure>\n",
                     labels.empty() ? "0" : fmt::format("{:g}", -room), width + room, double(map.rows) + room,
                     escaped(map.name), width, map.rows, map.aspect, cellsOf(map), labels);
}

std::string figuresOf(const std::vector<ShadeMap> &maps) {
  std::string text = "<div class=\"maps\">\n";
  for (const ShadeMap &map : maps)
    text += figureOf(map);
  return text + "</div>\n";
}

} // namespace attnc
