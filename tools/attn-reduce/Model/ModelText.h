//===- ModelText.h - model files and transformations of their text ----------------------------------------------===//
//
// A change of a model is a list of edits of its text, each of which replaces the range of a node. The result is parsed
// and printed again, so edits need not care for parentheses and line breaks, and the transformations may rely on the
// printer's layout (frontends/attn/Parse/Print.h).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Options.h"
#include "frontends/attn/Parse/AST.h"
#include "tools/attn-reduce/Subject.h"

namespace attnc::reduce {

/// A text and its syntax tree.
struct ModelText {
  explicit ModelText(std::string text);

  std::string_view text() const { return sources.file(file.file).text(); }
  std::string source(SourceRange range) const { return std::string(sources.text(range)); }
  /// The text that the printer writes for the tree, without comments. Requires isParsed.
  std::string canonical() const;

  SourceManager sources;
  bool isParsed = false; ///< parsed without errors
  ast::File file;
};

/// Replaces a range by a text; an empty text removes the range.
struct Edit {
  SourceRange range;
  std::string text;
};

/// Edits that are made together, such as the removal of a parameter and of its arguments.
using Change = std::vector<Edit>;

/// The range of an element of a list with the comma after it; for the last element, with the comma before it.
SourceRange withComma(const ModelText &model, SourceRange range);

/// The text with the edits; of overlapping edits, only the outer ones.
std::string edited(std::string_view text, std::vector<Edit> edits);

//===- The transformations, from coarse to fine -----------------------------------------------------------------===//
//
// Each function returns all changes of its kind that are possible in the file, outer nodes before inner ones.

std::vector<Change> dropItems(const ModelText &model);           ///< declarations of the file
std::vector<Change> dropMembers(const ModelText &model);         ///< fields, functions and constants of modules
std::vector<Change> dropStatements(const ModelText &model);      ///< statements of blocks
std::vector<Change> unwrapBlocks(const ModelText &model);        ///< replaces `if` and `for` by their bodies
std::vector<Change> dropParts(const ModelText &model);           ///< elements of lists, and optional syntax
std::vector<Change> dropParameters(const ModelText &model);      ///< with the arguments of calls
std::vector<Change> inlineNames(const ModelText &model);         ///< replaces names by their values
std::vector<Change> simplifyExpressions(const ModelText &model); ///< replaces an expression by an operand or a literal
std::vector<Change> shrinkNumbers(const ModelText &model);       ///< all literals of one value at once, then each
/// Transformations of a file with syntax errors.
std::vector<Change> dropLines(const ModelText &model);
std::vector<Change> dropWords(const ModelText &model);

} // namespace attnc::reduce
