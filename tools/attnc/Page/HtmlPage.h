//===- HtmlPage.h - self-contained HTML pages ---------------------------------------------------------------------===//
//
// Commands write charts as one HTML file that loads no other file, so that it can be opened, sent or archived alone. A
// page has a title and sections. A section has a heading and a body of HTML: the tables below, the drawings of Chart.h,
// Graph.h and ShadeMap.h, or HTML that the command writes.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/Support/Error.h"
#include <string>
#include <utility>
#include <vector>

namespace attnc {

/// Text with `<`, `>`, `&` and quotes replaced by HTML entities.
std::string escaped(llvm::StringRef text);

struct HtmlPage {
  struct Section {
    std::string heading; ///< plain text; empty: none
    std::string body;    ///< HTML
  };
  std::string title;      ///< plain text
  std::string style = {}; ///< CSS in addition to the common style
  std::vector<Section> sections = {};
};

/// A table with a row for each name and value, both plain text.
std::string factTable(llvm::ArrayRef<std::pair<std::string, std::string>> facts);
/// A table of headings and rows of cells, all plain text. Cells that start with a number ("3.1 MB") are aligned to the
/// right. `anchors`, if not empty, has the HTML id of each row, as a target of links.
std::string table(llvm::ArrayRef<std::string> headings, llvm::ArrayRef<std::vector<std::string>> rows,
                  llvm::ArrayRef<std::string> anchors = {});

/// The HTML document, with the common style for the drawings.
std::string htmlText(const HtmlPage &page);
/// Replaces the file `path` atomically by the document (OutputFiles::replace). An error if `path` cannot be written.
llvm::Error writePage(const std::string &path, const HtmlPage &page);

} // namespace attnc
