#include "tests/frontends/attn/Parse/Grammar.h"

#include <algorithm>
#include <stdexcept>

namespace attnc {

//===- Reading ------------------------------------------------------------------------------------------------===//

std::string blockOf(const std::string &page, const std::string &kind) {
  const std::string open = "```" + kind + "\n";
  size_t begin = page.find(open);
  if (begin == std::string::npos)
    throw std::runtime_error("no block of " + kind);
  begin += open.size();
  return page.substr(begin, page.find("```", begin) - begin);
}

namespace {

class Reader {
public:
  explicit Reader(std::string_view text) : text(text) {}

  Grammar read() {
    Grammar grammar;
    while (!peek().empty()) {
      std::string name = take();
      expect("=");
      if (!grammar.emplace(name, choice()).second)
        throw std::runtime_error("two rules " + name);
      expect(";");
    }
    return grammar;
  }

private:
  std::string next() {
    at = std::min(text.find_first_not_of(" \n", at), text.size());
    for (std::string_view mark : {",*", ",+", "...", "°"})
      if (text.substr(at).starts_with(mark))
        return std::string(mark);
    size_t end = at;
    if (at < text.size() && text[at] == '"')
      end = text.find('"', at + 1) + 1;
    else
      while (end < text.size() && (isalnum(text[end]) || text[end] == '_'))
        ++end;
    return std::string(text.substr(at, std::max(end, at + 1) - at));
  }
  std::string peek() {
    if (ahead.empty())
      ahead = next();
    return ahead;
  }
  std::string take() {
    std::string word = peek();
    at += word.size();
    ahead.clear();
    return word;
  }
  bool accept(const std::string &word) { return peek() == word && !take().empty(); }
  void expect(const std::string &word) {
    if (!accept(word))
      throw std::runtime_error("expected " + word + " at: " + std::string(text.substr(at, 40)));
  }

  Rule choice() {
    Rule rule;
    rule.kind = Rule::Choice;
    do
      rule.parts.push_back(sequence());
    while (accept("|"));
    return rule.parts.size() == 1 ? rule.parts[0] : rule;
  }

  Rule sequence() {
    Rule rule;
    static const std::set<std::string> ends = {"|", ";", ")", "]", "}", ""};
    while (!ends.count(peek())) {
      if (accept("..."))
        rule.isFarReaching = true;
      else
        rule.parts.push_back(part());
    }
    return rule;
  }

  Rule part() {
    Rule rule;
    std::string word = take();
    if (word == "(" || word == "[" || word == "{") {
      Rule inner = choice();
      expect(word == "(" ? ")" : word == "[" ? "]" : "}");
      if (word == "(")
        rule = inner;
      else
        rule = {word == "[" ? Rule::Optional : Rule::Repeat, "", {inner}};
    } else if (word[0] == '"') {
      rule = {Rule::Word, word.substr(1, word.size() - 2), {}};
    } else {
      rule = {Rule::Reference, word, {}};
      rule.isLambdaless = accept("°");
    }
    bool many = accept(",*"), some = !many && accept(",+");
    if (!many && !some)
      return rule;
    Rule list{Rule::List, "", {rule}};
    list.isNonEmpty = some;
    return list;
  }

  std::string_view text;
  std::string ahead;
  size_t at = 0;
};

void collect(const Rule &rule, std::set<std::string> &words) {
  if (rule.kind == Rule::Word)
    words.insert(rule.word);
  if (rule.kind == Rule::List)
    words.insert(",");
  for (const Rule &part : rule.parts)
    collect(part, words);
}

} // namespace

Grammar readGrammar(const std::string &text) { return Reader(text).read(); }

std::set<std::string> wordsOf(const Grammar &grammar) {
  std::set<std::string> words;
  for (const auto &[name, rule] : grammar)
    collect(rule, words);
  return words;
}

//===- Drawing ------------------------------------------------------------------------------------------------===//

Sentences::Sentences(const Grammar &grammar, unsigned seed) : grammar(grammar), random(seed) {
  for (const auto &[name, rule] : grammar)
    depths[name] = 1000;
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto &[name, rule] : grammar)
      if (unsigned depth = depthOf(rule) + 1; depth < depths[name]) {
        depths[name] = depth;
        changed = true;
      }
  }
}

unsigned Sentences::depthOf(const Rule &rule) const {
  unsigned depth = rule.kind == Rule::Choice ? 1000 : 0;
  switch (rule.kind) {
  case Rule::Word:
  case Rule::Optional:
  case Rule::Repeat:
    return 0;
  case Rule::List:
    return rule.isNonEmpty ? depthOf(rule.parts[0]) : 0;
  case Rule::Reference: {
    auto found = depths.find(rule.word);
    return found == depths.end() ? 0 : found->second;
  }
  case Rule::Choice:
    for (const Rule &part : rule.parts)
      depth = std::min(depth, depthOf(part));
    return depth;
  case Rule::Sequence:
    for (const Rule &part : rule.parts)
      depth = std::max(depth, depthOf(part));
    return depth;
  }
  return depth;
}

std::vector<std::string> Sentences::draw(const std::string &rule, size_t length) {
  words.clear();
  brackets.clear();
  context = {};
  reached = false;
  budget = length;
  addReference({Rule::Reference, rule, {}});
  return words;
}

bool Sentences::allowed(const Rule &rule) const {
  const Rule &first = rule.kind == Rule::Sequence && rule.parts.size() == 1 ? rule.parts[0] : rule;
  bool isLambda = first.word == "lambda" || first.word == "build" || first.word == "bracketed";
  return context.lambdas || !isLambda;
}

void Sentences::add(const Rule &rule) {
  switch (rule.kind) {
  case Rule::Word:
    return addWord(rule.word);
  case Rule::Reference:
    return addReference(rule);
  case Rule::Choice:
    return addChoice(rule);
  case Rule::Sequence:
    for (const Rule &part : rule.parts)
      add(part);
    reached |= rule.isFarReaching;
    return;
  case Rule::Optional:
    if (words.size() < budget && chance(50))
      addFurther(rule.parts[0], false);
    return;
  case Rule::Repeat:
    while (words.size() < budget && chance(30))
      addFurther(rule.parts[0], false);
    return;
  case Rule::List: {
    bool any = rule.isNonEmpty || (words.size() < budget && chance(80));
    if (any)
      add(rule.parts[0]);
    while (any && words.size() < budget && chance(40))
      addFurther(rule.parts[0], true);
    if (any && chance(10))
      addWord(",");
    return;
  }
  }
}

/// Adds an optional `rule`, unless the words before it could continue with its first word.
void Sentences::addFurther(const Rule &rule, bool divided) {
  static const std::set<std::string> continuing = {"or", "and", "==", "!=", "<",  "<=", ">", ">=", "+", "-",
                                                   "*",  "/",   "%",  "@",  "**", "(",  "[", ".",  "'"};
  size_t before = words.size();
  bool wasReached = reached;
  if (divided)
    addWord(",");
  add(rule);
  bool continues = words.size() > before && continuing.count(words[before].substr(0, words[before].find('\n')));
  if (!wasReached || !continues)
    return;
  words.resize(before);
  reached = true;
}

void Sentences::addChoice(const Rule &rule) {
  std::vector<const Rule *> choices;
  for (const Rule &part : rule.parts)
    if (allowed(part))
      choices.push_back(&part);
  if (words.size() < budget)
    return add(*choices[random() % choices.size()]);
  add(**std::min_element(choices.begin(), choices.end(),
                         [&](const Rule *a, const Rule *b) { return depthOf(*a) < depthOf(*b); }));
}

void Sentences::addReference(const Rule &rule) {
  auto found = grammar.find(rule.word);
  if (rule.word == "newline")
    return addWord("\n");
  if (found == grammar.end())
    return addWord(sample(rule.word));
  bool lambdas = context.lambdas;
  context.lambdas &= !rule.isLambdaless;
  add(found->second);
  context.lambdas = lambdas;
}

void Sentences::addWord(const std::string &word) {
  if (word == ")" || word == "]" || word == "}") {
    context = brackets.back();
    brackets.pop_back();
  }
  words.push_back(word);
  // Adds some line breaks where they have no meaning.
  static const std::set<std::string> goingOn = {"+", "*", "and", "==", "=", "->", "then", "{", ","};
  if ((!context.newlines || goingOn.count(word)) && chance(5))
    words.back() += "\n";
  reached = false;
  if (word == "(" || word == "[" || word == "{") {
    brackets.push_back(context);
    context = {word == "{", true};
  }
}

std::string Sentences::sample(const std::string &token) {
  static const std::map<std::string, std::vector<std::string>> samples = {
      {"name", {"a", "b", "x", "y", "dim", "seq_2", "Linear", "_t"}},
      {"integer", {"0", "1", "12", "1_000"}},
      {"float", {"0.5", "1e-5", "2.5E3"}},
      {"string", {"\"\"", "\"h.{0}\"", "\"a\\\"b\""}},
      {"letter", {"a", "e", "n", "z", "A", "E", "Z", "_"}},
      {"digit", {"0", "1", "5", "9"}},
      {"quote", {"\""}},
      {"character", {"a", "0", "{", " ", "'", "\xC3\xA9", "/"}},
  };
  const std::vector<std::string> &choices = samples.at(token);
  return choices[random() % choices.size()];
}

//===- Recognising --------------------------------------------------------------------------------------------===//

namespace {

/// Computes all tokens at which a part of a rule can end, given the token at which it begins.
class Recogniser {
public:
  using Ends = std::set<size_t>;
  Recogniser(const Grammar &grammar, const TokenStream &stream, const SourceManager &sources)
      : grammar(grammar), tokens(stream.tokens), sources(sources) {}

  const Ends &ends(const Rule &rule, size_t begin) {
    auto key = std::make_pair(&rule, begin);
    if (auto found = known.find(key); found != known.end())
      return found->second;
    return known[key] = find(rule, begin);
  }

private:
  Ends find(const Rule &rule, size_t begin) {
    Ends result;
    switch (rule.kind) {
    case Rule::Word:
      if (isWord(begin, rule.word))
        result.insert(begin + 1);
      break;
    case Rule::Reference:
      return reference(rule.word, begin);
    case Rule::Sequence:
      result = {begin};
      for (const Rule &part : rule.parts)
        result = behind(result, part);
      break;
    case Rule::Choice:
      for (const Rule &part : rule.parts)
        result.merge(Ends(ends(part, begin)));
      break;
    case Rule::Optional:
      result = ends(rule.parts[0], begin);
      result.insert(begin);
      break;
    case Rule::Repeat:
      result = repeated({begin}, rule.parts[0], false);
      break;
    case Rule::List:
      result = repeated(ends(rule.parts[0], begin), rule.parts[0], true);
      for (size_t end : Ends(result))
        if (isWord(end, ","))
          result.insert(end + 1);
      if (!rule.isNonEmpty)
        result.insert(begin);
      break;
    }
    return result;
  }

  Ends behind(const Ends &begins, const Rule &rule) {
    Ends result;
    for (size_t begin : begins)
      result.merge(Ends(ends(rule, begin)));
    return result;
  }

  Ends repeated(Ends reached, const Rule &rule, bool divided) {
    for (Ends fresh = reached; !fresh.empty();) {
      Ends further;
      for (size_t begin : fresh)
        if (!divided || isWord(begin, ","))
          further.merge(Ends(ends(rule, begin + divided)));
      fresh.clear();
      for (size_t end : further)
        if (reached.insert(end).second)
          fresh.insert(end);
    }
    return reached;
  }

  Ends reference(const std::string &name, size_t begin) {
    if (auto rule = grammar.find(name); rule != grammar.end())
      return ends(rule->second, begin);
    const Token &token = tokens[begin];
    if (name == "newline")
      return token.startsLine || token.kind == TokenKind::EndOfFile ? Ends{begin} : Ends{};
    static const std::map<std::string, TokenKind> kinds = {{"name", TokenKind::Identifier},
                                                           {"integer", TokenKind::Integer},
                                                           {"float", TokenKind::Float},
                                                           {"string", TokenKind::String}};
    return token.kind == kinds.at(name) ? Ends{begin + 1} : Ends{};
  }

  bool isWord(size_t at, const std::string &word) const {
    return tokens[at].kind != TokenKind::EndOfFile && sources.text(tokens[at].range) == word;
  }

  const Grammar &grammar;
  const std::vector<Token> &tokens;
  const SourceManager &sources;
  std::map<std::pair<const Rule *, size_t>, Ends> known;
};

} // namespace

bool isSentence(const Grammar &grammar, const std::string &rule, const TokenStream &stream,
                const SourceManager &sources) {
  Recogniser recogniser(grammar, stream, sources);
  return recogniser.ends(grammar.at(rule), 0).count(stream.tokens.size() - 1) > 0;
}

} // namespace attnc
