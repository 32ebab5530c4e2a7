#include "compiler/Pipeline/DeviceImages.h"
#include "compiler/Codegen/GPU/Backend/DeviceBackend.h"
#include "llvm/IR/Module.h"

using namespace mlir;

namespace attnc {

namespace {

struct Image {
  Target target;
  LlvmCode code;
};

/// For each kernel phase of the program, whether the image for `architecture` contains it.
SmallVector<bool> contentsOf(const Program &program, const std::string &architecture) {
  SmallVector<bool> contents;
  for (const KernelPhase *phase : program.phases())
    contents.push_back(hasForm(architecture, phase->form));
  return contents;
}

/// The target's architectures whose kernel phases differ from those of all architectures before them.
std::vector<std::string> imagesOf(const Job &job) {
  std::vector<std::string> images;
  for (const std::string &architecture : job.target.images) {
    SmallVector<bool> contents = contentsOf(job.made.program, architecture);
    if (llvm::none_of(images, [&](const std::string &made) { return contentsOf(job.made.program, made) == contents; }))
      images.push_back(architecture);
  }
  return images;
}

} // namespace

FailureOr<LlvmCode> optimisedForImage(const Target &image, const Compilation &made) {
  FailureOr<LlvmCode> code = translateToLlvm(made.device.get(), image);
  if (failed(code))
    return failure();
  for (const KernelPhase *phase : made.program.phases())
    if (!image.has(phase->form))
      code->module->getFunction(phase->symbol)->eraseFromParent();
  optimise(*code, image);
  return code;
}

bool compileDeviceImages(Job &job) {
  job.begin(Phase::Optimise);
  std::vector<Image> images;
  for (const std::string &architecture : imagesOf(job)) {
    Target target = job.target.image(architecture);
    FailureOr<LlvmCode> code = optimisedForImage(target, job.made);
    if (failed(code))
      return job.internalError();
    images.push_back({target, std::move(*code)});
  }
  auto printIr = [&](llvm::raw_ostream &out) {
    for (const Image &image : images)
      image.code.module->print(out, nullptr);
  };
  if (job.dumps(Phase::Optimise, printIr))
    return false;
  for (Image &image : images) {
    FailureOr<std::string> ptx = emitPtx(*job.made.device, image.code, image.target);
    if (failed(ptx))
      return job.internalError();
    job.made.program.images.push_back({image.target.cpu, std::move(*ptx)});
  }
  return !job.dumps(Phase::Emit, [&](llvm::raw_ostream &out) {
    for (const DeviceImage &image : job.made.program.images)
      out << image.ptx;
  });
}

} // namespace attnc
