// Parses, verifies and transforms IR: every upstream dialect and pass, and ours.
#include "compiler/Derive/Derive.h"
#include "compiler/Emitters/Emitters.h"
#include "compiler/Fuse/Fuse.h"
#include "compiler/Raise/Raise.h"
#include "dialects/Attn/Attn.h"
#include "dialects/Model/Model.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllPasses();
  const attnc::Emitters emitters = attnc::createEmitters();
  attnc::registerFusePasses(emitters);
  attnc::registerDerivePasses();
  attnc::registerRaisePasses();
  registry.insert<mlir::attn::AttnDialect, mlir::model::ModelDialect>();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "attnc's pass driver\n", registry));
}
