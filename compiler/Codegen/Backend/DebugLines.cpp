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
static FileLineColLoc firstPlace(Location location) {
  FileLineColLoc place;
  location->walk([&](Location each) {
    place = dyn_cast<FileLineColLoc>(each);
    return place ? WalkResult::interrupt() : WalkResult::advance();
  });
  return place;
}

namespace {

class LineTables {
public:
  explicit LineTables(ModuleOp code) : context(code.getContext()) {
    FileLineColLoc place = firstPlace(code.getLoc());
    StringRef name = place ? place.getFilename().getValue() : StringRef("model");
    unit = LLVM::DICompileUnitAttr::get(DistinctAttr::create(UnitAttr::get(context)), llvm::dwarf::DW_LANG_C,
                                        file(name), StringAttr::get(context, "attnc"), /*isOptimized=*/true,
                                        LLVM::DIEmissionKind::LineTablesOnly, LLVM::DINameTableKind::None);
  }

  void add(LLVM::LLVMFuncOp function) {
    FileLineColLoc place = firstPlace(function.getLoc());
    if (function.isExternal() || !place)
      return;
    auto type = LLVM::DISubroutineTypeAttr::get(context, {});
    auto subprogram = LLVM::DISubprogramAttr::get(
        context, DistinctAttr::create(UnitAttr::get(context)), unit, file(place.getFilename()), function.getNameAttr(),
        function.getNameAttr(), file(place.getFilename()), place.getLine(), place.getLine(),
        LLVM::DISubprogramFlags::Definition | LLVM::DISubprogramFlags::Optimized, type, /*retainedNodes=*/{},
        /*annotations=*/{});
    function->setLoc(FusedLoc::get(context, {place}, subprogram));
    function.walk([&](Operation *op) {
      if (op == function)
        return;
      FileLineColLoc at = firstPlace(op->getLoc());
      op->setLoc(inScope(at ? at : place, place.getFilename(), subprogram));
    });
  }

private:
  MLIRContext *context;
  LLVM::DICompileUnitAttr unit;

  LLVM::DIFileAttr file(StringRef name) { return LLVM::DIFileAttr::get(context, name, "."); }

  Location inScope(FileLineColLoc place, StringAttr functionsFile, LLVM::DISubprogramAttr subprogram) {
    if (place.getFilename() == functionsFile)
      return place;
    auto block = LLVM::DILexicalBlockFileAttr::get(context, subprogram, file(place.getFilename()), /*discriminator=*/0);
    return FusedLoc::get(context, {place}, block);
  }
};

} // namespace

void addLineTables(ModuleOp code) {
  LineTables tables(code);
  for (auto function : code.getOps<LLVM::LLVMFuncOp>())
    tables.add(function);
}

} // namespace attnc
