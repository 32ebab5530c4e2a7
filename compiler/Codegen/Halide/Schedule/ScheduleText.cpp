#include "compiler/Codegen/Halide/Schedule/ScheduleText.h"
#include "compiler/Codegen/Halide/Schedule/ScheduleScanner.h"
#include <algorithm>

namespace attnc::halide {

static std::string nameOf(unsigned loop) { return "d" + std::to_string(loop); }

static std::string joined(const std::vector<std::string> &words, const char *between = ", ") {
  std::string list;
  for (const std::string &word : words)
    list += (list.empty() ? "" : between) + word;
  return list;
}

static std::vector<std::string> dimensionsOf(const Stage &stage) {
  std::vector<std::string> names;
  for (unsigned loop : stage.result)
    names.push_back(nameOf(loop));
  return names;
}

//===-------------------------------------------- writing ---------------------------------------------------------===//

static std::string textOfTile(const Stage &stage, const Schedule &schedule) {
  auto dimension = [&](unsigned number) { return nameOf(stage.result[number]); };
  std::string text = "lanes(" + dimension(schedule.laneDimension) + ", " + std::to_string(schedule.lanes) + " x " +
                     std::to_string(schedule.vectors) + ")";
  if (schedule.rowDimension)
    text += " rows(" + dimension(*schedule.rowDimension) + ", " + std::to_string(schedule.rows) + ")";
  auto list = [](const std::vector<unsigned> &loops) {
    std::vector<std::string> names;
    for (unsigned each : loops)
      names.push_back(nameOf(each));
    return joined(names);
  };
  const Sums &sums = schedule.sums;
  if (!sums.inner.empty())
    text += " sum(" + list(sums.inner) + (sums.block != 0 ? " / " + std::to_string(sums.block) : "") + ")";
  return sums.outer.empty() ? text : text + " over(" + list(sums.outer) + ")";
}

std::string textOf(const Stage &stage, const Schedule &schedule) {
  std::string text = textOfTile(stage, schedule);
  std::vector<std::string> spans;
  for (unsigned each = 0; each < schedule.spans.size(); ++each)
    if (const Span &span = schedule.spans[each]; span.kind != Span::Kind::Whole)
      spans.push_back(nameOf(stage.result[each]) + ": " +
                      (span.kind == Span::Kind::One ? "1" : std::to_string(span.block)));
  if (spans.empty())
    return text;
  return text + " chunk(" + joined(spans) + ")";
}

//===-------------------------------------------- reading ---------------------------------------------------------===//

namespace {

class Parser {
public:
  Parser(const Stage &stage, const Machine &machine, std::string_view text)
      : stage(stage), machine(machine), scanner(text) {
    schedule.spans.resize(stage.result.size());
    for (unsigned loop = 0; loop < stage.loops.size(); ++loop)
      if (stage.loops[loop].reduces)
        sums.push_back(nameOf(loop));
  }

  std::optional<Schedule> run(std::string &error) {
    if (scanner.accept("lanes"))
      parseTile();
    else
      scanner.next(),
          scanner.fail(stage.places.empty() ? "`lanes(...)`" : "`lanes(...)`, because terms are added at subscripts");
    if (!scanner.failed() && !scanner.atEnd())
      scanner.next(), scanner.fail("the end, or the next of rows(...), sum(...), chunk(...)");
    if (!scanner.failed())
      checkTile();
    error = scanner.error;
    return scanner.failed() ? std::nullopt : std::optional(std::move(schedule));
  }

private:
  void parseTile() {
    scanner.expect("(");
    schedule.laneDimension = dimension();
    scanner.expect(",");
    schedule.lanes = scanner.number(1, machine.lanes);
    if ((schedule.lanes & (schedule.lanes - 1)) != 0)
      scanner.fail("a power of 2");
    scanner.expect("x");
    schedule.vectors = scanner.number(1, mostVectors);
    scanner.expect(")");
    if (stage.places.empty() && scanner.accept("rows"))
      parseRows();
    if (!sums.empty())
      parseSums();
    if (scanner.accept("chunk"))
      parseChunk();
  }

  void parseRows() {
    scanner.expect("(");
    schedule.rowDimension = dimension();
    if (schedule.rowDimension == schedule.laneDimension)
      scanner.fail("another dimension than that of the lanes");
    scanner.expect(",");
    schedule.rows = scanner.number(1, mostRows);
    scanner.expect(")");
  }

  void parseSums() {
    if (!scanner.accept("sum")) {
      scanner.next();
      bool mayBeRows = !schedule.rowDimension && stage.places.empty();
      scanner.fail(mayBeRows ? "`rows(...)` or `sum(...)`" : "`sum(...)`");
    }
    Sums &made = schedule.sums;
    std::vector<std::string> left = sums;
    parseList(made.inner, left);
    if (scanner.accept("/"))
      made.block = scanner.number(1, mostFactor);
    scanner.expect(")");
    if (made.block != 0 && !scanner.failed())
      left.push_back(nameOf(made.inner.back()));
    if (left.empty() || !stage.places.empty()) {
      if (!left.empty())
        scanner.next(), scanner.fail("all loops that are summed over, also " + joined(left));
      return;
    }
    scanner.expect("over");
    parseList(made.outer, left);
    if (!left.empty())
      scanner.next(), scanner.fail("all loops that are summed over, also " + joined(left));
    scanner.expect(")");
    if (made.block != 0 && !scanner.failed() && made.outer.front() != made.inner.back())
      scanner.fail(nameOf(made.inner.back()) + " first, of which a tile sums a block");
    if (stage.fold != Fold::Add || stage.element != ATTN_F32 || stage.finish)
      scanner.fail("no over(...), because outside of tiles only sums of f32 that are the result are added up");
    for (unsigned each = 0; each < stage.result.size(); ++each)
      if (const Size &size = stage.extent(each); !size.isConstant() || size.number % schedule.points(each) != 0)
        if (schedule.points(each) > 1)
          inParts.push_back(each);
  }

  /// Parses "(" and a list of summed loops, without the end; erases them from `left`.
  void parseList(std::vector<unsigned> &loops, std::vector<std::string> &left) {
    scanner.expect("(");
    do {
      loops.push_back(choose(left, "a loop that is summed over"));
      std::erase(left, nameOf(loops.back()));
    } while (!left.empty() && !scanner.failed() && scanner.accept(","));
  }

  /// Parses the name of a loop, one of `names`. Returns its number.
  unsigned choose(const std::vector<std::string> &names, const std::string &what) {
    std::string expected = what + ": " + joined(names), name = scanner.name(expected);
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      scanner.fail(expected);
      return 0;
    }
    return std::stoul(name.substr(1));
  }

  unsigned dimension() {
    unsigned loop = choose(dimensionsOf(stage), "a dimension of the result");
    return std::find(stage.result.begin(), stage.result.end(), loop) - stage.result.begin();
  }

  void parseChunk() {
    scanner.expect("(");
    do {
      unsigned which = dimension();
      scanner.expect(":");
      int64_t block = scanner.number(1, mostFactor);
      if (scanner.failed())
        return;
      if (!stage.isApart(which))
        scanner.fail("another dimension, because terms are added at subscripts of this one");
      bool isBlocked =
          stage.places.empty() && std::any_of(schedule.spans.begin(), schedule.spans.end(),
                                              [](const Span &span) { return span.kind == Span::Kind::Block; });
      if (block > 1 && isBlocked)
        scanner.fail("1, because another dimension has more than one index in a chunk");
      if (block % schedule.points(which) != 0)
        scanner.fail("a multiple of the " + std::to_string(schedule.points(which)) + " that a tile has of it");
      schedule.spans[which] = block == 1 ? Span{Span::Kind::One, 0} : Span{Span::Kind::Block, block};
    } while (scanner.accept(","));
    scanner.expect(")");
  }

  /// Verifies that tiles fit in their dimensions.
  void checkTile() {
    for (unsigned each = 0; each < schedule.spans.size(); ++each) {
      const Size &size = stage.extent(each);
      int64_t points = schedule.points(each);
      bool isWhole = schedule.spans[each].kind == Span::Kind::Whole;
      if (points > 1 && isWhole && !(size.isConstant() && size.number >= points))
        scanner.fail("chunk(" + nameOf(stage.result[each]) + ": ...), because that may be less than the " +
                     std::to_string(points) + " of a tile");
      // Overlapping tiles would add a partial sum to their common elements twice.
      bool isInParts = std::count(inParts.begin(), inParts.end(), each) != 0 || !stage.places.empty();
      if (isInParts && points > 1 && !stage.isApart(each))
        scanner.fail("lanes of another dimension than " + nameOf(stage.result[each]) +
                     ", in which terms are added at subscripts");
      bool divides = size.isConstant() && size.number % points == 0;
      if (schedule.spans[each].kind != Span::Kind::Block && isInParts && !divides)
        scanner.fail("tiles that divide " + nameOf(stage.result[each]) + ", because sums are added up outside of them");
    }
  }

  static constexpr int64_t mostVectors = 8, mostRows = 32;
  static constexpr int64_t mostFactor = 1 << 24;
  const Stage &stage;
  const Machine &machine;
  Scanner scanner;
  Schedule schedule;
  std::vector<std::string> sums;
  std::vector<unsigned> inParts; ///< dimensions that tiles do not divide, and in which tiles must not overlap
};

} // namespace

std::optional<Schedule> parseSchedule(const Stage &stage, const Machine &machine, std::string_view text,
                                      std::string &error) {
  return Parser(stage, machine, text).run(error);
}

} // namespace attnc::halide
