#include "compiler/Codegen/CPU/Gemm/PackPanel.h"
#include "compiler/Codegen/Nest/Routine.h"

using namespace mlir;

namespace attnc {

namespace {

/// Fills one panel, from its first column on.
class PanelEmission {
public:
  PanelEmission(FlatBuilder &code, const PackedMatrix &matrix, Value source, Value target, Value columns)
      : code(code), matrix(matrix), lanes(code.lanes), source(source), target(target), columns(columns) {}

  void emit() {
    if (matrix.transposed)
      transposeBlocks();
    else
      code.branch(
          code.less(columns, code.constant(matrix.nr)), [&] { copyRows(true); }, [&] { copyRows(false); });
  }

private:
  void copyRows(bool ragged) {
    SmallVector<Value> masks;
    for (int64_t v = 0; v < matrix.nr; v += lanes)
      masks.push_back(ragged ? code.laneMask(code.sub(columns, code.constant(v))) : Value());
    code.loop(code.constant(0), matrix.depth, 1, [&](Value k) {
      Value from = code.add(source, code.mul(k, matrix.outerStride));
      Value to = code.add(target, code.mul(k, matrix.nr));
      for (auto [i, mask] : llvm::enumerate(masks))
        code.store(code.load(matrix.source, code.add(from, i * lanes), mask), matrix.packed, code.add(to, i * lanes));
    });
  }

  void transposeBlocks() {
    for (int64_t v = 0; v < matrix.nr; v += lanes) {
      Value columnsLeft = code.sub(columns, code.constant(v));
      Value from = code.add(source, code.mul(matrix.outerStride, v));
      Value to = code.add(target, v);
      code.loop(code.constant(0), matrix.depth, lanes, [&](Value k) {
        Value depthLeft = code.sub(matrix.depth, k);
        Value whole = code.constant(lanes - 1);
        Value full = code.both(code.less(whole, columnsLeft), code.less(whole, depthLeft));
        Value at = code.add(from, k), put = code.add(to, code.mul(k, matrix.nr));
        code.branch(
            full, [&] { transposeBlock(at, put, Value(), Value()); },
            [&] { transposeBlock(at, put, columnsLeft, depthLeft); });
      });
    }
  }

  /// One block; with counts, only that many columns and steps of k.
  void transposeBlock(Value from, Value to, Value columnsLeft, Value depthLeft) {
    FlatBuilder::Values rows;
    Value none = code.constant(0);
    for (int64_t i = 0; i < lanes; ++i) {
      Value mask;
      if (columnsLeft)
        mask = code.laneMask(code.choose(code.less(code.constant(i), columnsLeft), depthLeft, none));
      rows.push_back(code.load(matrix.source, code.add(from, code.mul(matrix.outerStride, i)), mask));
    }
    for (auto [i, row] : llvm::enumerate(code.transpose(rows))) {
      Value mask;
      if (depthLeft)
        mask = code.laneMask(code.choose(code.less(code.constant(i), depthLeft), code.constant(lanes), none));
      code.store(row, matrix.packed, code.add(to, i * matrix.nr), mask);
    }
  }

  FlatBuilder &code;
  const PackedMatrix &matrix;
  int64_t lanes;
  Value source, target; ///< offsets
  Value columns;        ///< from the first of the panel to the last of the matrix
};

} // namespace

void emitPackPanel(FlatBuilder &code, ModuleOp module, const PackedMatrix &matrix, Value number, Value target) {
  Value panels = code.ceilDiv(matrix.columns, matrix.nr);
  Value batch = code.div(number, panels), first = code.mul(code.rem(number, panels), matrix.nr);
  Value source =
      code.add(code.mul(batch, matrix.batchStride), matrix.transposed ? code.mul(first, matrix.outerStride) : first);
  if (matrix.firstStep)
    source = code.add(source, matrix.transposed ? matrix.firstStep : code.mul(matrix.firstStep, matrix.outerStride));
  if (!target)
    target = code.mul(code.mul(number, matrix.depth), matrix.nr);
  std::string name = "pack_panel." + std::to_string(matrix.nr) + (matrix.transposed ? ".transposed" : "");
  llvm::raw_string_ostream types(name);
  for (Value buffer : {matrix.source, matrix.packed})
    types << '.' << cast<MemRefType>(buffer.getType()).getElementType();
  RoutineCall call{name,
                   {},
                   {matrix.source, source, matrix.packed, target, matrix.depth, matrix.outerStride,
                    code.sub(matrix.columns, first)}};
  callRoutine(code, module, call, [&](FlatBuilder &routine, ValueRange operands) {
    PackedMatrix passed = matrix;
    passed.source = operands[0];
    passed.packed = operands[2];
    passed.depth = operands[4];
    passed.outerStride = operands[5];
    PanelEmission(routine, passed, operands[1], operands[3], operands[6]).emit();
  });
}

} // namespace attnc
