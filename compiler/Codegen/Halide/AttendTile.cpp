#include "compiler/Codegen/Halide/AttendTile.h"
#include "compiler/Codegen/Halide/ScheduleScanner.h"

namespace attnc::halide {

static constexpr int64_t mostVectors = 8, mostRegisterTile = 64, mostBlock = 1024;
/// What a chunk may keep on the stack, of the 128 KiB that there are: records of buffers and spilled registers take
/// some.
static constexpr int64_t mostStackBytes = int64_t(112) << 10;

std::string_view nameOf(AttendTile::Form form) { return form == AttendTile::Form::TwoPass ? "two_pass" : "online"; }

std::optional<AttendTile::Form> attendFormNamed(std::string_view name) {
  for (AttendTile::Form form : {AttendTile::Form::TwoPass, AttendTile::Form::Online})
    if (nameOf(form) == name)
      return form;
  return std::nullopt;
}

/// More of one Func than this Halide allocates.
static constexpr int64_t mostFuncBytes = int64_t(16) << 10;

static int64_t roundedUp(int64_t number, int64_t unit) { return (number + unit - 1) / unit * unit; }

/// Of what depends on the tile.
static int64_t stackBytes(const AttendPipeline &pipeline, const AttendTile &tile) {
  bool isOnline = tile.form == AttendTile::Form::Online;
  int64_t values = roundedUp(pointsOf(pipeline.formulas, pipeline.values), tile.values);
  int64_t rows = 8; // largest scores, sums, factors, and what products make of them
  for (const AttendPipeline::Tile &each : pipeline.tiles)
    rows += pointsOf(pipeline.formulas, each.features);
  rows += static_cast<int64_t>(pipeline.products.size()) * tile.keys + tile.values;
  // Scores and weights of a block; the sums of its values beside all, which have largest and sum with them.
  rows += isOnline ? 2 * tile.block + 3 * values + 2 * values / tile.values : values;
  return 4 * tile.queries() * rows;
}

/// Of the largest Func on the stack.
static int64_t funcBytes(const AttendPipeline &pipeline, const AttendTile &tile) {
  int64_t rows = roundedUp(pointsOf(pipeline.formulas, pipeline.values), tile.values);
  for (const AttendPipeline::Tile &each : pipeline.tiles)
    rows = std::max(rows, pointsOf(pipeline.formulas, each.features));
  if (tile.form == AttendTile::Form::Online)
    rows = std::max(rows, tile.block);
  return 4 * tile.queries() * rows;
}

static bool fits(const AttendPipeline &pipeline, const AttendTile &tile) {
  return stackBytes(pipeline, tile) <= mostStackBytes && funcBytes(pipeline, tile) <= mostFuncBytes;
}

std::optional<AttendTile> chooseAttendTile(const AttendPipeline &pipeline, const Machine &machine,
                                           AttendTile::Form form) {
  AttendTile tile;
  tile.form = form;
  tile.lanes = machine.lanes;
  bool hasFewRegisters = machine.registers < 32;
  const Size &rows = pipeline.formulas.loops[pipeline.row].size;
  for (tile.vectors = hasFewRegisters ? 2 : 4; tile.vectors > 0; tile.vectors /= 2) {
    tile.keys = tile.values = hasFewRegisters ? 8 / tile.vectors : 16 / tile.vectors;
    bool isMostlyEmpty = tile.vectors > 1 && rows.isConstant() && rows.number <= tile.queries() / 2;
    if (!isMostlyEmpty && fits(pipeline, tile))
      return tile;
  }
  return std::nullopt;
}

std::string textOf(const AttendTile &tile) {
  return std::string(nameOf(tile.form)) + " queries(" + std::to_string(tile.lanes) + " x " +
         std::to_string(tile.vectors) + ") keys(" + std::to_string(tile.keys) + ") values(" +
         std::to_string(tile.values) + ") block(" + std::to_string(tile.block) + ")";
}

std::optional<AttendTile> parseAttendTile(const AttendPipeline &pipeline, const Machine &machine, std::string_view text,
                                          std::string &error) {
  Scanner scanner(text);
  AttendTile tile;
  if (auto form = attendFormNamed(scanner.next()))
    tile.form = *form;
  else
    scanner.fail("`two_pass` or `online`");
  auto open = [&](const char *word) { return scanner.expect(word) && scanner.expect("("); };
  auto numberOf = [&](const char *word, int64_t &number, int64_t most) {
    open(word);
    number = scanner.number(1, most);
    scanner.expect(")");
  };
  open("queries");
  tile.lanes = scanner.number(1, machine.lanes);
  if ((tile.lanes & (tile.lanes - 1)) != 0)
    scanner.fail("a power of 2");
  scanner.expect("x");
  tile.vectors = scanner.number(1, mostVectors);
  scanner.expect(")");
  numberOf("keys", tile.keys, mostRegisterTile / std::max<int64_t>(tile.vectors, 1));
  numberOf("values", tile.values, mostRegisterTile / std::max<int64_t>(tile.vectors, 1));
  numberOf("block", tile.block, mostBlock);
  if (!scanner.failed() && !scanner.atEnd())
    scanner.next(), scanner.fail("the end");
  if (!scanner.failed() && tile.block % tile.keys != 0)
    scanner.fail("a block of whole tiles of " + std::to_string(tile.keys) + " keys");
  if (!scanner.failed() && !fits(pipeline, tile))
    scanner.fail("a tile that takes less on the stack: at most " + std::to_string(mostFuncBytes) +
                 " bytes of queries with their features, values or keys of a block, and " +
                 std::to_string(mostStackBytes) + " in all");
  error = scanner.error;
  return scanner.failed() ? std::nullopt : std::optional(tile);
}

} // namespace attnc::halide
