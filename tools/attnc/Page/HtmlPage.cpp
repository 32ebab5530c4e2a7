#include "tools/attnc/Page/HtmlPage.h"
#include "compiler/Emit/OutputFiles.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <fmt/format.h>

using namespace llvm;

namespace attnc {

std::string escaped(StringRef text) {
  std::string result;
  raw_string_ostream stream(result);
  printHTMLEscaped(text, stream);
  return result;
}

std::string factTable(ArrayRef<std::pair<std::string, std::string>> facts) {
  std::string rows;
  for (const auto &[name, value] : facts)
    rows += fmt::format("<tr><th>{}</th><td>{}</td></tr>\n", escaped(name), escaped(value));
  return "<table>\n" + rows + "</table>\n";
}

/// "12", "-0.5", "1.84G", "3.1 MB".
static bool isNumber(StringRef cell) {
  cell.consume_front("-");
  return !cell.empty() && isDigit(cell.front());
}

std::string table(ArrayRef<std::string> headings, ArrayRef<std::vector<std::string>> rows,
                  ArrayRef<std::string> anchors) {
  std::string text = "<table>\n<tr>";
  for (const std::string &heading : headings)
    text += fmt::format("<th>{}</th>", escaped(heading));
  for (auto [number, row] : enumerate(rows)) {
    text += anchors.empty() ? "</tr>\n<tr>" : fmt::format("</tr>\n<tr id=\"{}\">", escaped(anchors[number]));
    for (const std::string &cell : row)
      text += fmt::format("<td{}>{}</td>", isNumber(cell) ? " class=\"number\"" : "", escaped(cell));
  }
  return text + "</tr>\n</table>\n";
}

static constexpr const char *commonStyle = R"(
body { font: 15px/1.5 system-ui, sans-serif; max-width: 900px; margin: 2em auto; padding: 0 1em; color: #222; }
table { border-collapse: collapse; margin-bottom: 1em; } td, th { padding-right: 1.5em; vertical-align: top; }
tr:target { background: #fff3c4; } th { text-align: left; font-weight: normal; color: #666; } td.number { text-align: right; }
.wide { overflow-x: auto; } img { max-width: 100%; }
figure { margin: 0; } figcaption { color: #666; font-size: 13px; text-align: center; }
svg.chart line { stroke: #ddd; } svg.chart line.axis { stroke: #888; } svg text { font-size: 12px; fill: #666; }
svg.chart polyline { fill: none; stroke-width: 1.5; } svg .dashed { stroke-dasharray: 5 3; }
.series-0 { stroke: #0072b2; fill: #0072b2; } .series-1 { stroke: #d55e00; fill: #d55e00; }
.series-2 { stroke: #009e73; fill: #009e73; } .series-3 { stroke: #cc79a7; fill: #cc79a7; }
.series-4 { stroke: #e69f00; fill: #e69f00; } .series-5 { stroke: #56b4e9; fill: #56b4e9; }
.series-6 { stroke: #999900; fill: #999900; } .series-7 { stroke: #444444; fill: #444444; }
svg.chart g text { stroke: none; fill: #444; } svg .box rect { fill-opacity: 0.3; stroke-width: 0.5; }
svg.graph { max-width: 100%; height: auto; } svg.graph text { text-anchor: middle; fill: #444; stroke: none; }
svg.graph g.group rect { fill: #f4f6f8; stroke: #bbb; } svg.graph g.group text { text-anchor: start; }
svg.graph .title { fill: #111; } svg.graph g rect { fill-opacity: 0.12; } svg.graph g.group rect { fill-opacity: 1; }
svg.graph > path { fill: none; stroke: #999; } svg.graph > path:hover { stroke: #111; } svg.graph marker path { fill: #777; }
.maps { display: grid; grid-template-columns: repeat(auto-fit, minmax(260px, 420px)); gap: 1em; }
svg.map { width: 100%; } svg.map rect { fill: #f4f6f8; } svg.map path { fill: #124; shape-rendering: crispEdges; }
svg.map text { font-size: 0.8px; text-anchor: middle; font-family: monospace; }
svg.map text.long { text-anchor: start; } svg.map text.row { text-anchor: end; }
)";

std::string htmlText(const HtmlPage &page) {
  std::string text = fmt::format("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}</title>\n"
                                 "<style>{1}{2}</style></head><body>\n<h1>{0}</h1>\n",
                                 escaped(page.title), commonStyle, page.style);
  for (const HtmlPage::Section &section : page.sections) {
    if (!section.heading.empty())
      text += fmt::format("<h2>{}</h2>\n", escaped(section.heading));
    text += section.body;
  }
  return text + "</body></html>\n";
}

Error writePage(const std::string &path, const HtmlPage &page) { return OutputFiles::replace(path, htmlText(page)); }

} // namespace attnc
