// The rules of docs/grammar.md, read from the page, as a generator and a recogniser of sentences.
#pragma once

#include "frontends/attn/Parse/Lexer.h"

#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace attnc {

/// An expression in the notation of docs/grammar.md.
struct Rule {
  enum Kind { Word, Reference, Sequence, Choice, Optional, Repeat, List } kind = Sequence;
  std::string word;           ///< of Word and Reference
  std::vector<Rule> parts;    ///< of the others
  bool isNonEmpty = false;    ///< List: `,+`
  bool isLambdaless = false;  ///< Reference: `°`
  bool isFarReaching = false; ///< Sequence: `...`
};

/// Rules by name; a word without a rule is a token of the lexer (`name`) or a class of characters.
using Grammar = std::map<std::string, Rule>;

/// Returns the text of the first block ```kind of a page.
std::string blockOf(const std::string &page, const std::string &kind);
Grammar readGrammar(const std::string &text);
/// Returns the quoted words.
std::set<std::string> wordsOf(const Grammar &grammar);

/// Generates sentences as lists of words, in which "\n" is a line break that the rules require.
class Sentences {
public:
  Sentences(const Grammar &grammar, unsigned seed);
  /// Returns a sentence of the rule with about `length` words.
  std::vector<std::string> draw(const std::string &rule, size_t length);

private:
  struct Context {
    bool newlines = true; ///< line breaks are significant
    bool lambdas = true;  ///< not inside `°`
  };
  void add(const Rule &rule);
  void addChoice(const Rule &rule);
  void addFurther(const Rule &rule, bool divided);
  void addReference(const Rule &rule);
  void addWord(const std::string &word);
  bool allowed(const Rule &rule) const;
  unsigned depthOf(const Rule &rule) const;
  bool chance(unsigned percent) { return random() % 100 < percent; }
  std::string sample(const std::string &token);

  const Grammar &grammar;
  std::map<std::string, unsigned> depths; ///< by rule, the depth of its shallowest sentence
  std::mt19937 random;
  std::vector<std::string> words;
  std::vector<Context> brackets;
  Context context;
  bool reached = false; ///< the last word ended a rule with `...`
  size_t budget = 0;
};

/// True if the tokens are a sentence of the rule; ignores marks and the significance of line breaks.
bool isSentence(const Grammar &grammar, const std::string &rule, const TokenStream &stream,
                const SourceManager &sources);

} // namespace attnc
