#include "compiler/Codegen/CPU/Gemm/PackPanel.h"
#include "compiler/Codegen/Nest/Routine.h"
#include "compiler/Codegen/Nest/TransposeRoutines.h"

using namespace mlir;

namespace attnc {

/// Copies `matrix.depth` rows of a panel from `source` on; `columns` of them exist.
static void copyRows(FlatBuilder &code, const PackedMatrix &matrix, Value source, Value target, Value columns,
                     bool isWhole) {
  SmallVector<Value> masks;
  for (int64_t v = 0; v < matrix.nr; v += code.lanes)
    masks.push_back(isWhole ? Value() : code.laneMask(code.sub(columns, code.constant(v))));
  code.loop(code.constant(0), matrix.depth, 1, [&](Value k) {
    Value from = code.add(source, code.mul(k, matrix.outerStride));
    Value to = code.add(target, code.mul(k, matrix.nr));
    for (auto [i, mask] : llvm::enumerate(masks))
      code.store(code.load(matrix.source, code.add(from, i * code.lanes), mask), matrix.packed,
                 code.add(to, i * code.lanes));
  });
}

/// A routine copies the rows from element `source` on, of which `columns` elements exist.
static void callCopyRows(FlatBuilder &code, ModuleOp module, const PackedMatrix &matrix, Value source, Value target,
                         Value columns) {
  std::string name = "pack_panel." + std::to_string(matrix.nr) + elementTypes({matrix.source, matrix.packed});
  RoutineCall call{name, {}, {matrix.source, source, matrix.packed, target, matrix.depth, matrix.outerStride, columns}};
  callRoutine(code, module, call, [&](FlatBuilder &routine, ValueRange operands) {
    PackedMatrix passed = matrix;
    passed.source = operands[0];
    passed.packed = operands[2];
    passed.depth = operands[4];
    passed.outerStride = operands[5];
    auto copy = [&](bool isWhole) { copyRows(routine, passed, operands[1], operands[3], operands[6], isWhole); };
    routine.branch(
        routine.less(operands[6], routine.constant(matrix.nr)), [&] { copy(false); }, [&] { copy(true); });
  });
}

void emitPackPanel(FlatBuilder &code, ModuleOp module, const PackedMatrix &matrix, Value number, Value target) {
  Value panels = code.ceilDiv(matrix.columns, matrix.nr);
  Value batch = code.div(number, panels), first = code.mul(code.rem(number, panels), matrix.nr);
  Value source =
      code.add(code.mul(batch, matrix.batchStride), matrix.transposed ? code.mul(first, matrix.outerStride) : first);
  if (matrix.firstStep)
    source = code.add(source, matrix.transposed ? matrix.firstStep : code.mul(matrix.firstStep, matrix.outerStride));
  if (!target)
    target = code.mul(code.mul(number, matrix.depth), matrix.nr);
  Value columns = code.sub(matrix.columns, first);
  if (!matrix.transposed)
    return callCopyRows(code, module, matrix, source, target, columns);
  packRows(code, module, {matrix.source, source, matrix.outerStride, columns, matrix.depth}, MissingRows::Zeros,
           {matrix.packed, target, matrix.nr}, code.constant(matrix.nr));
}

} // namespace attnc
