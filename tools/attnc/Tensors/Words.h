//===- Words.h - words and punctuation marks of a text ------------------------------------------------------------===//
//
// A word is a sequence of letters, digits, and apostrophes (' or U+2019) between letters or digits: "don't" is one
// word. Each punctuation mark or symbol is a word of its own, so "3.5" has three words. White space and control
// characters separate words. Upper and lower case differ. Outside of ASCII, all characters except spaces, punctuation
// and symbols count as letters. The text "<unk>" is one word: it stands for an unknown word (Vocabulary.h).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

namespace attnc {

inline constexpr char unknownWord[] = "<unk>";

/// Calls `visit` for each word of `text`, in order. `text` is UTF-8; each byte that is not UTF-8 counts as a character.
void eachWord(llvm::StringRef text, llvm::function_ref<void(llvm::StringRef word)> visit);
/// Whether all of `text` is one word; false for an empty text, or with white space around the word.
bool isOneWord(llvm::StringRef text);

} // namespace attnc
