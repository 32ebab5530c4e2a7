// Tests that docs/grammar.md and the parser accept the same texts.

#include "tests/frontends/attn/Parse/Grammar.h"
#include "tests/frontends/attn/Parse/Source.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

using namespace attnc;

namespace {

const std::filesystem::path root = ATTNC_SOURCE_ROOT;

std::string readFile(const std::filesystem::path &name) {
  std::ostringstream text;
  text << std::ifstream(name, std::ios::binary).rdbuf();
  return text.str();
}

const std::string &page() {
  static const std::string text = readFile(root / "docs/grammar.md");
  return text;
}

const Grammar &rules() {
  static const Grammar grammar = readGrammar(blockOf(page(), "ebnf"));
  return grammar;
}

std::string joined(const std::vector<std::string> &words, const char *divider = " ") {
  std::string text;
  for (const std::string &word : words)
    text += (text.empty() ? "" : divider) + word;
  return text;
}

/// Returns the errors except those that the page lists as outside the grammar.
std::string errorsOfGrammar(const Parsed &parsed) {
  std::string found;
  for (const Diagnostic &diagnostic : parsed.diagnostics.diagnostics())
    if (page().find("| `" + std::string(idOf(diagnostic.kind)) + "` |") == std::string::npos)
      found += diagnostic.message + "\n";
  return found;
}

/// Returns true if the rules derive the text as a file.
bool fitsTheRules(const std::string &text) {
  SourceManager sources;
  DiagnosticEngine diagnostics(sources);
  TokenStream stream = lex(sources, sources.add("t.attn", text), diagnostics);
  return !diagnostics.hasErrors() && isSentence(rules(), "file", stream, sources);
}

/// Returns all words and operators of the lexer, as the page would quote them.
std::set<std::string> wordsOfLexer() {
  std::set<std::string> words;
  for (int kind = int(TokenKind::KwAnd); kind <= int(TokenKind::GreaterEqual); ++kind) {
    std::string word = describe(TokenKind(kind)); // quoted in backticks
    words.insert(word.substr(1, word.size() - 2));
  }
  return words;
}

bool isName(const std::string &word) { return std::isalpha(word[0]) != 0; }

TEST(Grammar, HasEveryWordOfTheLexer) {
  std::set<std::string> words = wordsOf(rules());
  for (const std::string &word : wordsOfLexer())
    EXPECT_TRUE(words.count(word)) << "no rule has " << word;
}

TEST(Grammar, HasNoOtherOperators) {
  std::set<std::string> ofLexer = wordsOfLexer();
  for (const std::string &word : wordsOf(rules()))
    EXPECT_TRUE(isName(word) || ofLexer.count(word)) << word;
}

TEST(Grammar, ListsTheWordsThatAreNoNames) {
  std::vector<std::string> reserved;
  for (const std::string &word : wordsOfLexer())
    if (isName(word))
      reserved.push_back(word);
  EXPECT_NE(page().find("\n    " + joined(reserved) + "\n"), std::string::npos) << joined(reserved);
}

TEST(Grammar, EverySentenceParses) {
  Sentences sentences(rules(), 1);
  for (int i = 0; i < 4000; ++i) {
    std::string text = joined(sentences.draw("file", i % 100));
    Parsed parsed(text);
    ASSERT_EQ(errorsOfGrammar(parsed), "") << text << "\n" << parsed.errors();
    if (parsed.diagnostics.hasErrors())
      continue;
    std::string canonical = print(parsed.file);
    ASSERT_EQ(printed(canonical), canonical) << text;
  }
}

/// Removes, repeats or exchanges a word of a sentence. Most results are no sentences; a result that the parser accepts
/// must be one.
TEST(Grammar, WhatParsesIsASentence) {
  Sentences sentences(rules(), 2);
  std::mt19937 random(3);
  int taken = 0;
  for (int i = 0; i < 4000; ++i) {
    std::vector<std::string> words = sentences.draw("file", i % 60);
    if (words.empty())
      continue;
    size_t at = random() % words.size(), other = random() % words.size();
    if (i % 3 == 0)
      words.erase(words.begin() + at);
    else if (i % 3 == 1)
      words.insert(words.begin() + at, words[other]);
    else
      std::swap(words[at], words[other]);
    std::string text = joined(words);
    if (Parsed(text).diagnostics.hasErrors())
      continue;
    ++taken;
    ASSERT_TRUE(fitsTheRules(text)) << text;
  }
  EXPECT_GT(taken, 100);
}

TEST(Grammar, TheProgramsOfThisProjectAreSentences) {
  int seen = 0;
  for (const char *folder : {"examples", "tests", "frontends/attn/prelude"})
    for (const auto &entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      if (entry.path().extension() != ".attn")
        continue;
      std::string text = readFile(entry.path());
      EXPECT_EQ(fitsTheRules(text), errorsOfGrammar(Parsed(text)).empty()) << entry.path();
      ++seen;
    }
  EXPECT_GT(seen, 10);
}

TEST(Grammar, WordsAreAsTheLexicalRulesSay) {
  Grammar lexical = readGrammar(blockOf(page(), "lexical"));
  Sentences sentences(lexical, 4);
  const std::pair<const char *, TokenKind> kinds[] = {{"name", TokenKind::Identifier},
                                                      {"integer", TokenKind::Integer},
                                                      {"float", TokenKind::Float},
                                                      {"string", TokenKind::String}};
  for (auto [rule, kind] : kinds)
    for (int i = 0; i < 500; ++i) {
      std::string text = joined(sentences.draw(rule, 20), "");
      std::erase(text, '\n');
      SourceManager sources;
      DiagnosticEngine diagnostics(sources);
      TokenStream stream = lex(sources, sources.add("t.attn", text), diagnostics);
      ASSERT_FALSE(diagnostics.hasErrors()) << text;
      ASSERT_EQ(stream.tokens.size(), 2u) << text;
      EXPECT_TRUE(stream.tokens[0].kind == kind || wordsOfLexer().count(text)) << text;
    }
}

/// A row of the table of operators: the binary operators and their associativity.
struct OperatorRow {
  std::vector<std::string> operators;
  std::string grouping;
};

std::vector<OperatorRow> operatorRows() {
  std::vector<OperatorRow> rows;
  std::istringstream table(page().substr(page().find("## Operators"), page().find("## Words") - page().find("## Op")));
  std::set<std::string> ofLexer = wordsOfLexer();
  for (std::string line; std::getline(table, line);) {
    if (!line.starts_with("| `"))
      continue;
    OperatorRow row;
    std::istringstream cells(line.substr(2, line.rfind(" | ") - 2));
    for (std::string word; cells >> word;)
      row.operators.push_back(word.substr(1, word.size() - 2));
    row.grouping = line.substr(line.rfind(" | ") + 3);
    row.grouping.resize(row.grouping.size() - 2);
    if (row.grouping.starts_with("to the") || row.grouping == "none")
      rows.push_back(row);
  }
  return rows;
}

TEST(Grammar, OperatorsBindAsTheTableSays) {
  std::vector<OperatorRow> rows = operatorRows();
  ASSERT_EQ(rows.size(), 6u);
  for (size_t i = 0; i < rows.size(); ++i)
    for (size_t j = 0; j < rows.size(); ++j)
      for (const std::string &first : rows[i].operators)
        for (const std::string &second : rows[j].operators) {
          std::string plain = expression("a " + first + " b " + second + " c");
          if (i == j && rows[i].grouping == "none") {
            EXPECT_NE(plain.find("[chained-comparison]"), std::string::npos) << plain;
            continue;
          }
          bool left = i > j || (i == j && rows[i].grouping == "to the left");
          EXPECT_EQ(plain,
                    expression(left ? "(a " + first + " b) " + second + " c" : "a " + first + " (b " + second + " c)"));
          EXPECT_NE(plain,
                    expression(left ? "a " + first + " (b " + second + " c)" : "(a " + first + " b) " + second + " c"));
        }
}

} // namespace
