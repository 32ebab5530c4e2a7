// Reads the grammar of docs/grammar.md from the page, generates random sentences of it, and recognises sentences. Tests
// compare the grammar with the parser.
#pragma once

#include "frontends/attn/Parse/Lexer.h"

#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace attnc {

/// The right side of a rule, or a part of it, in the notation of docs/grammar.md.
struct Rule {
  enum Kind { Word, Reference, Sequence, Choice, Optional, Repeat, List } kind = Sequence;
  std::string word;           ///< of Word: the quoted text; of Reference: the name of a rule or token
  std::vector<Rule> parts;    ///< of the other kinds; Optional, Repeat and List have one part
  bool isNonEmpty = false;    ///< List: has at least one element (`,+`)
  bool isLambdaless = false;  ///< Reference: marked with `°`, so it contains no lambda outside of brackets
  bool isFarReaching = false; ///< Sequence: marked with `...`, so its end extends as far right as it can
};

/// Rules by name. A reference to a name without a rule is a token of the lexer (`name`) or a class of characters.
using Grammar = std::map<std::string, Rule>;

/// Returns the text of the first block ```kind of a Markdown page; throws a std::runtime_error if there is none.
std::string blockOf(const std::string &page, const std::string &kind);
/// Reads rules; throws a std::runtime_error if the text is malformed.
Grammar readGrammar(const std::string &text);
/// Returns the quoted words of all rules, and "," if a rule has a list.
std::set<std::string> wordsOf(const Grammar &grammar);

/// Generates random sentences as lists of words. A word may end in an optional line break; a word "\n" is a line break
/// that the rules require.
class Sentences {
public:
  /// `grammar` must outlive this object.
  Sentences(const Grammar &grammar, unsigned seed);
  /// Returns a sentence of the rule with about `length` words: optional parts are omitted beyond this length.
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
  std::vector<std::string> words; ///< the sentence so far
  std::vector<Context> brackets;  ///< contexts outside of the open brackets
  Context context;
  bool reached = false; ///< the last word ended a rule with `...`
  size_t budget = 0;    ///< `length` of draw()
};

/// Whether all tokens of `stream`, whose text is in `sources`, are one sentence of the rule. Ignores the marks `°` and
/// `...`; a `newline` of the rules needs a token that starts a line, and other line breaks are ignored.
bool isSentence(const Grammar &grammar, const std::string &rule, const TokenStream &stream,
                const SourceManager &sources);

} // namespace attnc
