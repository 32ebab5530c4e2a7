//===- ModelText.h - a model file and how it can be edited ------------------------------------------------------===//
//
// A change of a model is some edits of its text: each replaces the range of a node. What comes out is parsed and
// printed again, so commas, parentheses and line breaks need no care, and the rules below may count on the printer's
// layout (frontends/attn/Parse/Print.h).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Options.h"
#include "frontends/attn/Parse/AST.h"
#include "tools/attn-reduce/Subject.h"

namespace attnc::reduce {

/// A file as it is parsed.
struct ModelText {
  explicit ModelText(std::string text);

  std::string_view text() const { return sources.file(file.file).text(); }
  std::string source(SourceRange range) const { return std::string(sources.text(range)); }
  /// The tree in its printer's form, without comments.
  std::string canonical() const;

  SourceManager sources;
  bool isParsed = false; ///< without errors
  ast::File file;
};

/// Replaces a range; an empty text drops it.
struct Edit {
  SourceRange range;
  std::string text;
};

/// What is edited together.
using Change = std::vector<Edit>;

/// An element of a list between commas, with the comma behind it; without one, with that in front of it.
SourceRange withComma(const ModelText &model, SourceRange range);

/// The text with the edits; of those that overlap the outer ones alone.
std::string edited(std::string_view text, std::vector<Edit> edits);

//===- The transformations, from coarse to fine -----------------------------------------------------------------===//

std::vector<Change> dropItems(const ModelText &model);           ///< declarations of the file
std::vector<Change> dropMembers(const ModelText &model);         ///< fields, functions and constants of modules
std::vector<Change> dropStatements(const ModelText &model);      ///< of blocks
std::vector<Change> unwrapBlocks(const ModelText &model);        ///< `if` and `for` give way to what is in them
std::vector<Change> dropParts(const ModelText &model);           ///< elements of lists, and what may be left out
std::vector<Change> dropParameters(const ModelText &model);      ///< with the arguments that calls give them
std::vector<Change> inlineNames(const ModelText &model);         ///< values take the place of their names
std::vector<Change> simplifyExpressions(const ModelText &model); ///< to an operand or a literal
std::vector<Change> shrinkNumbers(const ModelText &model);       ///< all of one value, then each
/// Of a file with errors of syntax.
std::vector<Change> dropLines(const ModelText &model);
std::vector<Change> dropWords(const ModelText &model);

} // namespace attnc::reduce
