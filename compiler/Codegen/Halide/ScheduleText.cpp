#include "compiler/Codegen/Halide/ScheduleText.h"
#include "compiler/Codegen/Halide/ScheduleScanner.h"
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

static std::string textOf(const LoopSplit &split) {
  return split.fuses ? "fuse(" + joined({split.inner, split.outer, split.loop}) + ") "
                     : "split(" + joined({split.loop, split.outer, split.inner, std::to_string(split.factor)}) + ") ";
}

static std::string textOf(const Definition &definition) {
  std::string text;
  for (const LoopSplit &split : definition.splits)
    text += textOf(split);
  std::vector<std::string> loops;
  for (const OrderedLoop &loop : definition.loops)
    loops.push_back((loop.kind == OrderedLoop::Kind::Vector     ? "vector "
                     : loop.kind == OrderedLoop::Kind::Unrolled ? "unroll "
                                                                : "") +
                    loop.name);
  return text + "loops(" + joined(loops) + ")";
}

static std::string textOf(const LoopSchedule &loops, bool folds) {
  std::string text = "result: " + textOf(loops.result);
  if (folds)
    text += " | start: " + (loops.at ? "at(" + *loops.at + ") " : "") + textOf(loops.start) +
            " | sum: " + textOf(loops.sum);
  return text;
}

static std::string textOfTile(const Stage &stage, const Schedule &schedule) {
  auto dimension = [&](unsigned number) { return nameOf(stage.result[number]); };
  std::string text =
      (schedule.across ? "across(" + nameOf(*schedule.across) : "lanes(" + dimension(schedule.laneDimension)) + ", " +
      std::to_string(schedule.lanes) + " x " + std::to_string(schedule.vectors) + ")";
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
  std::string text = schedule.loops ? textOf(*schedule.loops, stage.fold.has_value()) : textOfTile(stage, schedule);
  std::vector<std::string> spans;
  for (unsigned each = 0; each < schedule.spans.size(); ++each)
    if (const Span &span = schedule.spans[each]; span.kind != Span::Kind::Whole)
      spans.push_back(nameOf(stage.result[each]) + ": " +
                      (span.kind == Span::Kind::Counted ? "all"
                       : span.kind == Span::Kind::One   ? "1"
                                                        : std::to_string(span.block)));
  if (spans.empty())
    return text;
  return text + (schedule.loops ? " | " : " ") + "chunk(" + joined(spans) + ")";
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
      parseTile(/*isAcross=*/false);
    else if (stage.fold && stage.places.empty() && scanner.accept("across"))
      parseTile(/*isAcross=*/true);
    else if (stage.places.empty() && scanner.accept("result"))
      parseLoops();
    else
      scanner.next(), scanner.fail(stage.places.empty() ? "`lanes(...)`, or `result: ...`"
                                                        : "`lanes(...)`, for terms are added at subscripts");
    if (!scanner.failed() && !scanner.atEnd())
      scanner.next(), scanner.fail("the end, or the next of rows(...), sum(...), chunk(...)");
    if (!scanner.failed())
      checkTile();
    error = scanner.error;
    return scanner.failed() ? std::nullopt : std::optional(std::move(schedule));
  }

private:
  //===---------------------------------------- by a tile ---------------------------------------------------------===//

  void parseTile(bool isAcross) {
    scanner.expect("(");
    schedule.laneDimension = isAcross ? stage.result.size() - 1 : dimension();
    if (isAcross)
      schedule.across = choose(sums, "a loop that is summed over");
    scanner.expect(",");
    schedule.lanes = scanner.number(1, machine.lanes);
    if ((schedule.lanes & (schedule.lanes - 1)) != 0)
      scanner.fail("a power of 2");
    scanner.expect("x");
    schedule.vectors = scanner.number(1, mostVectors);
    if (isAcross && (schedule.vectors & (schedule.vectors - 1)) != 0)
      scanner.fail("a power of 2");
    scanner.expect(")");
    if (!isAcross && stage.places.empty() && scanner.accept("rows"))
      parseRows();
    if (!sums.empty())
      parseSums(isAcross);
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

  void parseSums(bool isAcross) {
    if (!scanner.accept("sum")) {
      scanner.next();
      bool mayBeRows = !schedule.rowDimension && !isAcross && stage.places.empty();
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
    if (left.empty() || schedule.across || !stage.places.empty()) {
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
    if (stage.fold != Fold::Add || stage.element != Element::F32 || stage.finish)
      scanner.fail("no over(...), for only sums of f32 that are the result are added up outside of tiles");
    for (unsigned each = 0; each < stage.result.size(); ++each)
      if (const Size &size = stage.extent(each); !size.isConstant() || size.number % schedule.points(each) != 0)
        if (schedule.points(each) > 1)
          inParts.push_back(each);
  }

  /// "(" and loops that are left, which they are not any more; without the end.
  void parseList(std::vector<unsigned> &loops, std::vector<std::string> &left) {
    scanner.expect("(");
    do {
      loops.push_back(choose(left, "a loop that is summed over"));
      std::erase(left, nameOf(loops.back()));
    } while (!left.empty() && !scanner.failed() && scanner.accept(","));
  }

  //===---------------------------------------- loop by loop ------------------------------------------------------===//

  void parseLoops() {
    std::vector<std::string> dimensions = dimensionsOf(stage), all = dimensions;
    all.insert(all.end(), sums.begin(), sums.end());
    for (unsigned loop = 0; loop < stage.loops.size(); ++loop)
      if (stage.loops[loop].reduces)
        schedule.sums.inner.push_back(loop);
    LoopSchedule loops;
    scanner.expect(":");
    loops.result = definition(dimensions);
    if (stage.fold) {
      scanner.expect("|");
      scanner.expect("start");
      scanner.expect(":");
      if (scanner.accept("at")) {
        scanner.expect("(");
        loops.at = scanner.name("a loop of the result");
        bool isLoop = std::any_of(loops.result.loops.begin(), loops.result.loops.end(),
                                  [&](const OrderedLoop &each) { return each.name == *loops.at; });
        if (!isLoop)
          scanner.fail("a loop of the result");
        scanner.expect(")");
      }
      loops.start = definition(dimensions);
      scanner.expect("|");
      scanner.expect("sum");
      scanner.expect(":");
      loops.sum = definition(all);
    }
    if (scanner.accept("|")) {
      scanner.expect("chunk");
      parseChunk();
    }
    if (scanner.failed())
      return;
    schedule.setLoops(stage, std::move(loops));
    checkCopies(*schedule.loops);
  }

  Definition definition(std::vector<std::string> live) {
    Definition made;
    int64_t factors = 1;
    for (bool splits = true; splits;) {
      LoopSplit split;
      splits = false;
      if (scanner.accept("split")) {
        scanner.expect("(");
        split.loop = consume(live);
        scanner.expect(",");
        split.outer = introduce(live);
        scanner.expect(",");
        split.inner = introduce(live);
        scanner.expect(",");
        split.factor = scanner.number(1, mostFactor / factors);
        factors *= std::max<int64_t>(split.factor, 1);
        splits = true;
      } else if (scanner.accept("fuse")) {
        split.fuses = splits = true;
        scanner.expect("(");
        split.inner = consume(live);
        scanner.expect(",");
        split.outer = consume(live);
        scanner.expect(",");
        split.loop = introduce(live);
      }
      if (splits) {
        scanner.expect(")");
        made.splits.push_back(split);
      }
    }
    scanner.expect("loops");
    scanner.expect("(");
    places.emplace_back();
    for (bool isFirst = true; !scanner.failed() && !live.empty(); isFirst = false) {
      if (!isFirst)
        scanner.expect(",");
      OrderedLoop loop;
      loop.kind = scanner.accept("vector")   ? OrderedLoop::Kind::Vector
                  : scanner.accept("unroll") ? OrderedLoop::Kind::Unrolled
                                             : OrderedLoop::Kind::Serial;
      loop.name = consume(live);
      made.loops.push_back(loop);
      places.back().push_back(scanner.lastPlace());
    }
    scanner.expect(")");
    return made;
  }

  /// How often the code within a loop is there, in vectors and one after the other.
  int64_t copiesBy(const OrderedLoop &loop, int64_t iterations) const {
    return loop.kind == OrderedLoop::Kind::Serial   ? 1
           : loop.kind == OrderedLoop::Kind::Vector ? (iterations + machine.lanes - 1) / machine.lanes
                                                    : iterations;
  }

  /// No loop schedule has more code than a tile may have; `copies` is how often the definition itself is there.
  void checkCopies(const Definition &definition, unsigned number, const Extents &extents, int64_t copies) {
    LoopTree tree(definition, extents);
    for (size_t each = 0; each < definition.loops.size() && !scanner.failed(); ++each) {
      const OrderedLoop &loop = definition.loops[each];
      int64_t iterations = tree.iterationsOf(loop.name).value_or(1), most = mostVectors * machine.lanes;
      std::string found = loop.name + " of " + std::to_string(iterations) + " iterations";
      if (loop.kind == OrderedLoop::Kind::Vector && iterations > most)
        scanner.failAt(places[number][each], found, "at most " + std::to_string(most) + " as vectors");
      else if (copiesBy(loop, iterations) > mostCopies / copies)
        scanner.failAt(places[number][each], found,
                       "at most " + std::to_string(mostCopies) + " vectors and unrolled iterations in all");
      else
        copies *= copiesBy(loop, iterations);
    }
  }

  void checkCopies(const LoopSchedule &loops) {
    Extents chunk = extentsOfChunk(stage, schedule);
    checkCopies(loops.result, 0, chunk, 1);
    if (!stage.fold || scanner.failed())
      return;
    LoopTree tree(loops.result, chunk);
    int64_t copies = 1;
    bool isAround = false;
    for (const OrderedLoop &loop : loops.result.loops) {
      isAround |= loop.name == loops.at;
      if (isAround)
        copies *= copiesBy(loop, tree.iterationsOf(loop.name).value_or(1));
    }
    Extents tile = extentsOfTile(loops, chunk);
    checkCopies(loops.start, 1, tile, copies);
    for (unsigned loop : schedule.sums.inner)
      if (const Size &size = stage.loops[loop].size; size.isConstant())
        tile[nameOf(loop)] = {size.number, size.number, size.number};
      else
        tile[nameOf(loop)] = {};
    checkCopies(loops.sum, 2, tile, copies);
  }

  /// One of the loops that there are, which is none of them afterwards.
  std::string consume(std::vector<std::string> &live) {
    std::string name = scanner.name("one of the loops " + joined(live));
    auto found = std::find(live.begin(), live.end(), name);
    if (found == live.end())
      scanner.fail("one of the loops " + joined(live));
    else
      live.erase(found);
    return name;
  }

  std::string introduce(std::vector<std::string> &live) {
    std::string name = scanner.name("a name for a loop");
    if (std::find(live.begin(), live.end(), name) != live.end())
      scanner.fail("a name that no other loop has");
    live.push_back(name);
    return name;
  }

  //===---------------------------------------- both --------------------------------------------------------------===//

  /// The number of a loop, one of `names`.
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
      if (scanner.accept("all")) {
        schedule.spans[which] = {Span::Kind::Counted, 0};
        continue;
      }
      int64_t block = scanner.number(1, mostFactor);
      if (scanner.failed())
        return;
      if (!stage.isApart(which))
        scanner.fail("another dimension, for subscripts say where terms are in this one");
      bool isBlocked =
          stage.places.empty() && std::any_of(schedule.spans.begin(), schedule.spans.end(),
                                              [](const Span &span) { return span.kind == Span::Kind::Block; });
      if (block > 1 && isBlocked)
        scanner.fail("1, for another dimension has more than one index in a chunk");
      if (block % schedule.points(which) != 0)
        scanner.fail("a multiple of the " + std::to_string(schedule.points(which)) + " that a tile has of it");
      schedule.spans[which] = block == 1 ? Span{Span::Kind::One, 0} : Span{Span::Kind::Block, block};
    } while (scanner.accept(","));
    scanner.expect(")");
  }

  /// Tiles have no more of a dimension than there is.
  void checkTile() {
    for (unsigned each = 0; !schedule.loops && each < schedule.spans.size(); ++each) {
      const Size &size = stage.extent(each);
      int64_t points = schedule.points(each);
      bool isWhole = schedule.spans[each].kind == Span::Kind::Whole;
      if (points > 1 && isWhole && !(size.isConstant() && size.number >= points))
        scanner.fail("chunk(" + nameOf(stage.result[each]) + ": ...), for that may be less than the " +
                     std::to_string(points) + " of a tile");
      // A sum must not come twice to the elements that tiles share.
      bool isInParts = std::count(inParts.begin(), inParts.end(), each) != 0 || !stage.places.empty();
      if (isInParts && points > 1 && !stage.isApart(each))
        scanner.fail("lanes of another dimension than " + nameOf(stage.result[each]) +
                     ", where subscripts say the place");
      bool divides = size.isConstant() && size.number % points == 0;
      if (!schedule.spans[each].hasTiles() && isInParts && !divides)
        scanner.fail("tiles that divide " + nameOf(stage.result[each]) + ", for sums are added up outside of them");
    }
  }

  static constexpr int64_t mostVectors = 8, mostRows = 32, mostCopies = mostVectors * mostRows;
  static constexpr int64_t mostFactor = 1 << 24;
  const Stage &stage;
  const Machine &machine;
  Scanner scanner;
  Schedule schedule;
  std::vector<std::string> sums;
  std::vector<std::vector<size_t>> places; ///< of the loops' names of each definition
  std::vector<unsigned> inParts;           ///< dimensions whose tiles may not overlap, and do not divide them
};

} // namespace

std::optional<Schedule> parseSchedule(const Stage &stage, const Machine &machine, std::string_view text,
                                      std::string &error) {
  return Parser(stage, machine, text).run(error);
}

} // namespace attnc::halide
