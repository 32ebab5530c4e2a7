#include "compiler/Codegen/Nest/TransposeRoutines.h"
#include "compiler/Codegen/Nest/Routine.h"

using namespace mlir;

namespace attnc {

/// `kind`, the width of the panel and the types of the buffers determine the code.
static std::string routineName(StringRef kind, const Panel &panel, Value from, Value to) {
  return (kind + "." + Twine(panel.width)).str() + elementTypes({from, to});
}

static void addOperands(const StridedRows &rows, SmallVector<Value> &to) {
  to.append({rows.flat, rows.offset, rows.stride, rows.count, rows.columns});
}

static StridedRows rowsOf(ValueRange operands) {
  return {operands[0], operands[1], operands[2], operands[3], operands[4]};
}

namespace {

/// Packs a square of rows and columns; `row` and `column` are its first ones.
struct PackedSquare {
  FlatBuilder &code;
  const StridedRows &rows;
  MissingRows missing;
  const Panel &panel;
  Value factor, row, column;

  /// If not `allRows` or not `allColumns`, some may not exist.
  void emit(bool allRows, bool allColumns) {
    Value rowsLeft = code.sub(rows.count, row), columnsLeft = code.sub(rows.columns, column);
    Value from = code.add(code.add(rows.offset, code.mul(row, rows.stride)), column);
    Value to = code.add(code.add(panel.offset, code.mul(column, panel.width)), row);
    bool isMasked = !allColumns || (!allRows && missing == MissingRows::Zeros);
    FlatBuilder::Values lines;
    SmallVector<FlatBuilder::Values> positions;
    for (int64_t i = 0; i < code.lanes; ++i) {
      Value number = code.constant(i), elements = columnsLeft;
      if (!allRows && missing == MissingRows::Copies)
        number = code.min(number, code.add(rowsLeft, -1));
      else if (!allRows)
        elements = code.choose(code.less(number, rowsLeft), columnsLeft, code.constant(0));
      Value position = code.add(from, code.mul(rows.stride, number));
      positions.push_back({position});
      if (isMasked)
        lines.push_back(code.load(rows.flat, position, code.laneMask(elements)));
    }
    FlatBuilder::Values columns = isMasked ? code.transpose(lines) : code.loadTransposed(rows.flat, positions);
    for (auto [i, line] : llvm::enumerate(columns)) {
      Value scaled = factor ? code.mulf(line, code.splat(factor)) : line;
      auto store = [&, i = i] { code.store(scaled, panel.flat, code.add(to, i * panel.width), Value()); };
      if (allColumns)
        store();
      else
        code.when(code.less(code.constant(i), columnsLeft), store);
    }
  }
};

} // namespace

/// Squares of whole rows and columns, and others where some do not exist.
static void emitPackRows(FlatBuilder &code, const StridedRows &rows, MissingRows missing, const Panel &panel,
                         Value filled, Value factor) {
  Value zero = code.constant(0), last = code.constant(code.lanes - 1);
  code.loop(zero, filled, code.lanes, [&](Value row) {
    Value allRows = code.less(last, code.sub(rows.count, row));
    code.loop(zero, rows.columns, code.lanes, [&](Value column) {
      Value allColumns = code.less(last, code.sub(rows.columns, column));
      PackedSquare square{code, rows, missing, panel, factor, row, column};
      auto emitCut = [&] {
        if (missing == MissingRows::Zeros)
          return square.emit(false, false);
        code.branch(
            allColumns, [&] { square.emit(false, true); }, [&] { square.emit(false, false); });
      };
      code.branch(
          code.both(allRows, allColumns), [&] { square.emit(true, true); }, emitCut);
    });
  });
}

void packRows(FlatBuilder &code, ModuleOp module, const StridedRows &rows, MissingRows missing, const Panel &panel,
              Value filled, Value factor) {
  std::string kind = missing == MissingRows::Zeros ? "pack_rows" : "pack_rows_repeating";
  RoutineCall call{routineName(kind + (factor ? ".scaled" : ""), panel, rows.flat, panel.flat), {}, {}};
  addOperands(rows, call.operands);
  call.operands.append({panel.flat, panel.offset, filled});
  if (factor)
    call.operands.push_back(factor);
  callRoutine(code, module, call, [&](FlatBuilder &routine, ValueRange operands) {
    emitPackRows(routine, rowsOf(operands), missing, {operands[5], operands[6], panel.width}, operands[7],
                 factor ? operands[8] : Value());
  });
}

void unpackRows(FlatBuilder &code, ModuleOp module, const Panel &panel, const StridedRows &rows, Value scales) {
  std::string name = routineName(scales ? "unpack_rows.scaled" : "unpack_rows", panel, panel.flat, rows.flat);
  RoutineCall call{name, {}, {}};
  addOperands(rows, call.operands);
  call.operands.append({panel.flat, panel.offset});
  if (scales)
    call.operands.push_back(scales);
  callRoutine(code, module, call, [&](FlatBuilder &routine, ValueRange operands) {
    StridedRows target = rowsOf(operands);
    Value from = operands[5], offset = operands[6], zero = routine.constant(0), width = routine.constant(panel.width);
    routine.loop(zero, routine.min(target.count, width), code.lanes, [&](Value row) {
      routine.loop(zero, target.columns, code.lanes, [&](Value column) {
        SmallVector<FlatBuilder::Values> lines;
        for (int64_t i = 0; i < code.lanes; ++i)
          lines.push_back({routine.add(routine.add(offset, row), routine.mul(routine.add(column, i), panel.width))});
        for (auto [i, line] : llvm::enumerate(routine.loadTransposed(from, lines))) {
          Value number = routine.add(row, i), run = line;
          if (scales)
            run = routine.mulf(run, routine.splat(routine.loadScalar(operands[7], {number})));
          Value to = routine.add(routine.add(target.offset, routine.mul(number, target.stride)), column);
          routine.when(routine.less(number, target.count),
                       [&] { routine.storeFirst(routine.sub(target.columns, column), run, target.flat, {to}); });
        }
      });
    });
  });
}

} // namespace attnc
