//===- UnicodeClasses.h - classes of characters -------------------------------------------------------------------===//
#pragma once

#include <string>
#include <string_view>

namespace attnc::tokenizer {

bool isWhitespace(char32_t codePoint);     ///< the property White_Space
bool isPunctuation(char32_t codePoint);    ///< the category P, or a punctuation mark or symbol of ASCII
bool isNumeric(char32_t codePoint);        ///< the category N
bool isMark(char32_t codePoint);           ///< the category M
bool isNonspacingMark(char32_t codePoint); ///< the category Mn
bool isControl(char32_t codePoint);        ///< the categories Cc, Cf and Co, which BERT's normalizer removes
bool isIdeograph(char32_t codePoint);      ///< the blocks that BERT's normalizer surrounds with spaces
/// \w of Unicode's regular expressions: alphabetic characters, marks, decimal digits, connecting punctuation and the
/// joiners U+200C and U+200D.
bool isWordCharacter(char32_t codePoint);

/// Appends the lower case of a character: its simple mapping, and "i" with U+0307 for U+0130.
void appendLowerCase(std::string &text, char32_t codePoint);

/// Whether a grapheme cluster may end between two adjacent characters. `state` is 0 at the start of a text, and is
/// updated by each call for the next pair of characters.
bool isGraphemeBoundary(char32_t before, char32_t after, int &state);

enum class UnicodeForm { NFC, NFD, NFKC, NFKD };
/// The text in a normalisation form.
std::string normalised(std::string_view text, UnicodeForm form);

} // namespace attnc::tokenizer
