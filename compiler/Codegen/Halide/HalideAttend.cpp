#include "compiler/Codegen/Halide/HalideAttend.h"
#include "compiler/Codegen/ChosenSchedule.h"
#include "compiler/Codegen/Halide/AttendBitcode.h"
#include "compiler/Codegen/Halide/AttendCalls.h"
#include "compiler/Codegen/Halide/ImportBitcode.h"

using namespace mlir;

namespace attnc::halide {

bool wantsHalide(func::FuncOp kernel) {
  return scheduledWord(kernel, attendTextKey) ||
         attendFormNamed(scheduledWord(kernel, attendFormKey).value_or("")).has_value();
}

std::optional<PlannedAttend> planAttend(func::FuncOp kernel, const Machine &machine, std::string &reason) {
  auto form = scheduledWord(kernel, attendFormKey);
  if (form && !attendFormNamed(*form)) {
    reason = "its schedule asks for the form `" + form->str() + "`, which is of our emitter";
    return std::nullopt;
  }
  std::optional<KernelAttend> read = readAttend(kernel, reason);
  if (!read)
    return std::nullopt;
  PlannedAttend planned{std::move(*read), {}, {}};
  std::optional<AttendTile> tile;
  if (auto text = scheduledWord(kernel, attendTextKey)) {
    tile = parseAttendTile(planned.read.pipeline, machine, *text, planned.scheduleError);
    if (tile && form && StringRef(nameOf(tile->form)) != *form)
      planned.scheduleError = "is of another form than " + form->str();
  } else {
    tile = chooseAttendTile(planned.read.pipeline, machine, form ? *attendFormNamed(*form) : AttendTile::Form::TwoPass);
    if (!tile) {
      reason = "its features and values leave no room for a tile of queries";
      return std::nullopt;
    }
  }
  planned.tile = tile.value_or(AttendTile());
  return planned;
}

static LLVM::LLVMFuncOp compileOne(const PlannedAttend &planned, const AttendVariant &variant, const Machine &machine,
                                   const std::string &symbol, Location location, ModuleOp code, std::string &error) {
  Bitcode bitcode = compileAttend(planned.read.pipeline, planned.tile, variant, machine, planned.read.arguments.size(),
                                  symbol);
  error = bitcode.error;
  return error.empty() ? importBitcode(bitcode, symbol, planned.read.operations, /*mayContract=*/true, location, code,
                                       error)
                       : LLVM::LLVMFuncOp();
}

FailureOr<KernelCode> emitAttendKernel(func::FuncOp kernel, const Target &target, const Machine &machine, ModuleOp code,
                                       PlannedAttend planned, std::string &error) {
  std::string symbol = (kernel.getName() + ".halide").str();
  AttendVariant variant{isValueInnermost(planned.read.problem), /*addsKeptAlone=*/false};
  LLVM::LLVMFuncOp main = compileOne(planned, variant, machine, symbol, kernel.getLoc(), code, error);
  if (!main)
    return failure();
  variant.addsKeptAlone = true;
  LLVM::LLVMFuncOp kept = compileOne(planned, variant, machine, symbol + ".kept", kernel.getLoc(), code, error);
  if (!kept) {
    main.erase();
    return failure();
  }
  CompiledAttend compiled{std::move(planned.read), planned.tile, main, kept};
  for (LLVM::LLVMFuncOp function : {compiled.main, compiled.kept})
    insertAttendCalls(function, target);
  std::string text = textOf(compiled.tile);
  SmallVector<Choice> choices = {{attendFormKey, StringRef(nameOf(compiled.tile.form))},
                                 {attendTextKey, scheduledWord(kernel, attendTextKey).value_or(text)}};
  recordSchedule(kernel, choices);
  return emitAttendPhase(compiled, kernel, code);
}

} // namespace attnc::halide
