// Line tables, by which debuggers and profilers show the model's line for generated code.
//
// Precondition: the `llvm` dialect, whose ops have source locations in the model. Postcondition: each function has a
// subprogram at its first location (`fused<#di_subprogram>[...]`), and each op has one location, in the scope of its
// file: a kernel that contains the prelude's softmax has locations in two files.
#include "compiler/Codegen/Backend/Backend.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/BinaryFormat/Dwarf.h"

using namespace mlir;

namespace attnc {

/// Returns the first file location in a location.
static FileLineColLoc sourceLocation(Location location) {
  FileLineColLoc source;
  location->walk([&](Location each) {
    source = dyn_cast<FileLineColLoc>(each);
    return source ? WalkResult::interrupt() : WalkResult::advance();
  });
  return source;
}

namespace {

class LineTables {
public:
  explicit LineTables(ModuleOp code) : context(code.getContext()) {
    FileLineColLoc source = sourceLocation(code.getLoc());
    StringRef name = source ? source.getFilename().getValue() : StringRef("model");
    unit = LLVM::DICompileUnitAttr::get(DistinctAttr::create(UnitAttr::get(context)), llvm::dwarf::DW_LANG_C,
                                        file(name), StringAttr::get(context, "attnc"), /*isOptimized=*/true,
                                        LLVM::DIEmissionKind::LineTablesOnly, LLVM::DINameTableKind::None);
  }

  void add(LLVM::LLVMFuncOp function) {
    FileLineColLoc source = sourceLocation(function.getLoc());
    if (function.isExternal() || !source)
      return;
    auto type = LLVM::DISubroutineTypeAttr::get(context, {});
    auto subprogram = LLVM::DISubprogramAttr::get(
        context, DistinctAttr::create(UnitAttr::get(context)), unit, file(source.getFilename()), function.getNameAttr(),
        function.getNameAttr(), file(source.getFilename()), source.getLine(), source.getLine(),
        LLVM::DISubprogramFlags::Definition | LLVM::DISubprogramFlags::Optimized, type, /*retainedNodes=*/{},
        /*annotations=*/{});
    function->setLoc(FusedLoc::get(context, {source}, subprogram));
    function.walk([&](Operation *op) {
      if (op == function)
        return;
      FileLineColLoc at = sourceLocation(op->getLoc());
      op->setLoc(inScope(at ? at : source, source.getFilename(), subprogram));
    });
  }

private:
  MLIRContext *context;
  LLVM::DICompileUnitAttr unit;

  LLVM::DIFileAttr file(StringRef name) { return LLVM::DIFileAttr::get(context, name, "."); }

  Location inScope(FileLineColLoc source, StringAttr functionsFile, LLVM::DISubprogramAttr subprogram) {
    if (source.getFilename() == functionsFile)
      return source;
    auto block =
        LLVM::DILexicalBlockFileAttr::get(context, subprogram, file(source.getFilename()), /*discriminator=*/0);
    return FusedLoc::get(context, {source}, block);
  }
};

} // namespace

void addLineTables(ModuleOp code) {
  LineTables tables(code);
  for (auto function : code.getOps<LLVM::LLVMFuncOp>())
    tables.add(function);
}

} // namespace attnc
