//===- Words.h - words and punctuation marks of a text ------------------------------------------------------------===//
//
// A word is a sequence of letters, digits, and apostrophes between two of them: "don't" is one word. Each punctuation
// mark or symbol is a word of its own, so "3.5" has three. White space and control characters separate words. Upper and
// lower case differ. In Unicode, all characters but spaces, punctuation and symbols count as letters. The text "<unk>"
// is one word: it stands for an unknown word (Vocabulary.h).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

namespace attnc {

inline constexpr char unknownWord[] = "<unk>";

/// Calls `visit` for each word of a text, which is UTF-8.
void eachWord(llvm::StringRef text, llvm::function_ref<void(llvm::StringRef word)> visit);
/// Whether a text is one word, without white space around it.
bool isOneWord(llvm::StringRef text);

} // namespace attnc
