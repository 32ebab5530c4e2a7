#include "compiler/Codegen/Nest/Routine.h"
#include "compiler/Codegen/Nest/KernelFrame.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace attnc {

/// The address of a flat buffer.
static Value pointerTo(FlatBuilder &code, Value buffer) {
  LLVMTypeConverter converter(code.builder.getContext());
  Type type = converter.convertType(buffer.getType());
  Value descriptor = UnrealizedConversionCastOp::create(code.builder, code.location, type, buffer).getResult(0);
  return MemRefDescriptor(descriptor).alignedPtr(code.builder, code.location);
}

namespace {

/// Creates a routine, which has no source location.
class RoutineWriter {
public:
  RoutineWriter(ModuleOp module, StringRef symbol, TypeRange types, int64_t lanes)
      : builder(OpBuilder::atBlockBegin(module.getBody())), location(UnknownLoc::get(module.getContext())),
        code(builder, location, lanes) {
    routine = func::FuncOp::create(builder, location, symbol, builder.getFunctionType(types, {}));
    routine.setPrivate();
    routine->setAttr("llvm.linkage", LLVM::LinkageAttr::get(builder.getContext(), LLVM::Linkage::Internal));
    builder.setInsertionPointToEnd(routine.addEntryBlock());
    auto end = func::ReturnOp::create(builder, location);
    builder.setInsertionPoint(end);
  }

  /// The next parameter, for the operand `passed`.
  Value take(Value passed) {
    unsigned number = taken++;
    BlockArgument argument = routine.getArgument(number);
    auto buffer = dyn_cast<MemRefType>(passed.getType());
    if (!buffer)
      return argument;
    routine.setArgAttr(number, LLVM::LLVMDialect::getNoAliasAttrName(), builder.getUnitAttr());
    // The size of a flat buffer is never read.
    return memRefAt(builder, location, argument, buffer, code.constant(0));
  }

  /// A constant of the routine.
  Value fix(Value known) {
    auto value = IntegerAttr::get(known.getType(), *FlatBuilder::constantOf(known));
    return arith::ConstantOp::create(builder, location, value);
  }

private:
  OpBuilder builder;
  Location location;
  unsigned taken = 0;

public:
  FlatBuilder code;
  func::FuncOp routine;
};

} // namespace

std::string elementTypes(ValueRange buffers) {
  std::string types;
  llvm::raw_string_ostream text(types);
  for (Value buffer : buffers)
    text << '.' << cast<MemRefType>(buffer.getType()).getElementType();
  return types;
}

void callRoutine(FlatBuilder &code, ModuleOp module, const RoutineCall &call,
                 llvm::function_ref<void(FlatBuilder &, ValueRange)> fill) {
  std::string symbol = "routine." + call.name;
  SmallVector<Value> values, passed, operands;
  for (Value value : call.fixed) {
    std::optional<int64_t> known = FlatBuilder::constantOf(value);
    symbol += "." + (known ? std::to_string(*known) : "any");
    values.push_back(value);
  }
  for (Value operand : call.operands)
    values.push_back(isa<MemRefType>(operand.getType()) ? code.dynamic(operand) : operand);
  auto isFixed = [&](size_t number) { return number < call.fixed.size() && FlatBuilder::constantOf(values[number]); };
  for (auto [number, value] : llvm::enumerate(values))
    if (!isFixed(number))
      passed.push_back(isa<MemRefType>(value.getType()) ? pointerTo(code, value) : value);

  auto routine = module.lookupSymbol<func::FuncOp>(symbol);
  if (!routine) {
    RoutineWriter writer(module, symbol, ValueRange(passed).getTypes(), code.lanes);
    for (auto [number, value] : llvm::enumerate(values))
      operands.push_back(isFixed(number) ? writer.fix(value) : writer.take(value));
    fill(writer.code, operands);
    routine = writer.routine;
  }
  func::CallOp::create(code.builder, code.location, routine, passed);
}

} // namespace attnc
