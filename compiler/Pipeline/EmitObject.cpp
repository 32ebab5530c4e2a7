#include "compiler/Pipeline/EmitObject.h"
#include "compiler/Codegen/Host/ModelTable.h"
#include "compiler/Emit/Certificate.h"
#include "compiler/Emit/Checksum.h"
#include "compiler/Emit/EmbeddedWeights.h"
#include "llvm/IR/Module.h"

using namespace mlir;

namespace attnc {

bool translateCode(Job &job, LlvmCode &code) {
  job.begin(Phase::Optimise);
  FailureOr<LlvmCode> translated = translateToLlvm(*job.made.code, job.host);
  if (failed(translated))
    return job.internalError();
  code = std::move(*translated);
  WeightsFile weights;
  bool hasFile = !job.options.weights.empty();
  if (hasFile)
    if (llvm::Error error = weights.load(job.made.program, job.options.weights, job.options.allowExtra))
      return job.refuse(llvm::toString(std::move(error)));
  llvm::Expected<EmbeddedWeights> embedded = embeddedWeights(job.made.program.parameters, job.embedded);
  if (!embedded)
    return job.refuse(job.options.input + ": section " + weightsSection + " " + llvm::toString(embedded.takeError()));
  addModelTable(job.made.program, hasFile ? weights.values() : *embedded, job.host, *code.module);
  addChecksum(*code.module);
  if (job.options.records)
    addRecord(job.made.record, certificateText(job.made.program, fingerprintOf(job.made.record)), *code.module);
  return true;
}

bool emitObject(Job &job, LlvmCode &code) {
  job.begin(Phase::Emit);
  bool isText = job.options.dump == Phase::Emit;
  FailureOr<SmallVector<char, 0>> bytes = emit(code, job.host, isText ? OutputKind::Assembly : OutputKind::Object);
  if (failed(bytes) || (!isText && failed(verifyUndefinedSymbols(*job.made.code, *bytes))))
    return job.internalError();
  job.made.object = std::move(*bytes);
  if (llvm::Error error = isText ? llvm::Error::success() : writeChecksum(job.made.object))
    return job.internalError(llvm::toString(std::move(error)));
  return true;
}

} // namespace attnc
