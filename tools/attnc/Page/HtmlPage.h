//===- HtmlPage.h - pages that need nothing beside them -----------------------------------------------------------===//
//
// What commands show as pictures they write as one HTML file: nothing is fetched, so it opens anywhere and can be sent
// or kept. A page is a title and sections, each a heading and a body of HTML: the tables below, the drawings of Chart.h
// and ShadeMap.h, or a command's own.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/Support/Error.h"
#include <string>
#include <utility>
#include <vector>

namespace attnc {

/// Text as HTML shows it: `<`, `>`, `&` and quotes are spelled out.
std::string escaped(llvm::StringRef text);

struct HtmlPage {
  struct Section {
    std::string heading; ///< plain text; empty: none
    std::string body;    ///< HTML
  };
  std::string title;      ///< plain text
  std::string style = {}; ///< CSS beside what all pages have
  std::vector<Section> sections = {};
};

/// A row for each name and value, both plain text.
std::string factTable(llvm::ArrayRef<std::pair<std::string, std::string>> facts);
/// A line of headings and rows of cells, all plain text. Cells that are numbers are set to the right. `anchors`, where
/// given, are names of the rows that links lead to.
std::string table(llvm::ArrayRef<std::string> headings, llvm::ArrayRef<std::vector<std::string>> rows,
                  llvm::ArrayRef<std::string> anchors = {});

std::string htmlText(const HtmlPage &page);
/// Fails where `path` can't be written, and leaves what was there.
llvm::Error writePage(const std::string &path, const HtmlPage &page);

} // namespace attnc
