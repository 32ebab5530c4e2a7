// The rules of docs/grammar.md, read from the page: to draw sentences from, and to tell whether a text is a sentence.
#pragma once

#include "frontends/attn/Parse/Lexer.h"

#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace attnc {

/// A part of a rule in the notation of docs/grammar.md.
struct Rule {
  enum Kind { Word, Reference, Sequence, Choice, Optional, Repeat, List } kind = Sequence;
  std::string word;           ///< of Word and Reference
  std::vector<Rule> parts;    ///< of the others
  bool isNonEmpty = false;    ///< List: `,+`
  bool isLambdaless = false;  ///< Reference: `°`
  bool isFarReaching = false; ///< Sequence: `...`
};

/// Rules by their names; a word without a rule is of the lexer (`name`) or a class of characters.
using Grammar = std::map<std::string, Rule>;

/// The text of the first block ```kind of a page.
std::string blockOf(const std::string &page, const std::string &kind);
Grammar readGrammar(const std::string &text);
/// The words that stand in quotes.
std::set<std::string> wordsOf(const Grammar &grammar);

/// Draws sentences, as words of which "\n" is the line break that the rules ask for.
class Sentences {
public:
  Sentences(const Grammar &grammar, unsigned seed);
  /// A sentence of the rule; `length` is about how many words it may have.
  std::vector<std::string> draw(const std::string &rule, size_t length);

private:
  struct Context {
    bool newlines = true; ///< line breaks mean something
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
  std::map<std::string, unsigned> depths; ///< of the shallowest sentence of each rule
  std::mt19937 random;
  std::vector<std::string> words;
  std::vector<Context> brackets;
  Context context;
  bool reached = false; ///< the last word ended a rule with `...`
  size_t budget = 0;
};

/// Whether tokens are a sentence of the rule; marks and the meaning of line breaks are not looked at.
bool isSentence(const Grammar &grammar, const std::string &rule, const TokenStream &stream,
                const SourceManager &sources);

} // namespace attnc
