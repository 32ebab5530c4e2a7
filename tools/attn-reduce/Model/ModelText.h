//===- ModelText.h - model files and transformations of their text ------------------------------------------------===//
//
// A change of a model is a list of edits of its text; each edit replaces the range of a syntax-tree node. If the text
// is in canonical form (as the printer of frontends/attn/Parse/Print.h writes it), the edited text is parsed and
// printed again. Edits therefore may leave redundant parentheses and line breaks, and the transformations rely on the
// printer's layout.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Options.h"
#include "frontends/attn/Parse/AST.h"
#include "tools/attn-reduce/Subject.h"

namespace attnc::reduce {

/// The text of a model file and its syntax tree, from which documentation comments are removed.
struct ModelText {
  explicit ModelText(std::string text); ///< parses `text`

  std::string_view text() const { return sources.file(file.file).text(); }                 ///< the text as given
  std::string source(SourceRange range) const { return std::string(sources.text(range)); } ///< the text of a range
  /// The text that the printer writes for the tree, without comments. Requires isParsed.
  std::string canonical() const;

  SourceManager sources;
  bool isParsed = false; ///< whether `text` has no syntax errors
  ast::File file;        ///< incomplete if there are syntax errors
};

/// Replaces a range by a text; an empty text removes the range.
struct Edit {
  SourceRange range;
  std::string text;
};

/// Edits that are made together, such as the removal of a parameter and of its arguments.
using Change = std::vector<Edit>;

/// Extends `range`, an element of a list in canonical layout, by the ", " after it, or by the ", " before the last
/// element; unchanged for an only element.
SourceRange withComma(const ModelText &model, SourceRange range);

/// `text` with `edits` applied by their begin, the longest first. An edit that overlaps an applied one is skipped: an
/// outer edit replaces inner ones; if withComma() removes the last two elements of a list, the last one stays.
std::string edited(std::string_view text, std::vector<Edit> edits);

//===- The transformations, from coarse to fine -----------------------------------------------------------------===//
//
// Each function returns all changes of its kind that are possible in the file. A change need not give a valid model.
// All but dropLines() and dropWords() return no change for a file with syntax errors.

std::vector<Change> dropItems(const ModelText &model);      ///< declarations of the file
std::vector<Change> dropMembers(const ModelText &model);    ///< members of modules, states of optimizers
std::vector<Change> dropStatements(const ModelText &model); ///< statements of blocks
std::vector<Change> unwrapBlocks(const ModelText &model);   ///< replaces `if` and `for` by their bodies
std::vector<Change> dropParts(const ModelText &model);      ///< elements of lists, and optional syntax
std::vector<Change> dropParameters(const ModelText &model); ///< parameters with their arguments in all calls
/// Replaces uses of a name by its value, and removes its declaration: a constant, a `let` of one name, or a module's
/// parameter with a default.
std::vector<Change> inlineNames(const ModelText &model);
/// Replaces an expression that is no literal by an operand, by an operand of an operand, or by a literal.
std::vector<Change> simplifyExpressions(const ModelText &model);
/// Replaces an integer literal by a smaller one, all literals of one value at once, then each alone; then a float
/// literal by 0.0 or 1.0.
std::vector<Change> shrinkNumbers(const ModelText &model);
/// Remove lines and tokens of a file with syntax errors; no change for a file without.
std::vector<Change> dropLines(const ModelText &model);
std::vector<Change> dropWords(const ModelText &model);

} // namespace attnc::reduce
