#include "compiler/Pipeline/DeviceEntries.h"
#include "compiler/Sizes/SizeAnalysis.h"
#include "dialects/Model/Model.h"

using namespace mlir;

namespace attnc {

namespace {

/// Why a device does not run an entry point, and where that is.
struct Obstacle {
  Location location;
  std::string reason;
};

/// Tensors of this type, one after the other, all begin at whole accesses of a device. What a call chooses is any
/// number.
bool isWholeAccesses(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  int64_t bytes = elementBytes(tensor.getElementType());
  for (int64_t size : tensor.getShape())
    bytes *= ShapedType::isDynamic(size) ? 1 : size;
  return bytes % ATTN_DEVICE_ALIGNMENT == 0;
}

std::optional<Obstacle> obstacleIn(Operation *op, Job &job) {
  if (auto set = dyn_cast<model::SetOp>(op))
    return Obstacle{op->getLoc(), "it changes '" + set.getParameter().str() + "'"};
  auto call = dyn_cast<func::CallOp>(op);
  if (auto kernel = call ? job.made.module->lookupSymbol<func::FuncOp>(call.getCallee()) : func::FuncOp()) {
    std::string reason = "no emitter is there";
    for (const std::unique_ptr<Emitter> &emitter : job.emitters) {
      if (!emitter->makesCodeFor(job.target))
        continue;
      Verdict verdict = emitter->supports(kernel, job.target);
      if (verdict)
        return std::nullopt;
      reason = verdict.reason;
    }
    return Obstacle{kernel.getLoc(), "kernel " + kernel.getName().str() + ": " + reason};
  }
  auto element = dyn_cast<model::ElementOp>(op);
  auto with = dyn_cast<model::WithElementOp>(op);
  if ((element && !isWholeAccesses(element.getResult().getType())) ||
      (with && !isWholeAccesses(with.getElement().getType())))
    return Obstacle{op->getLoc(), "the elements of a list are not known to be whole numbers of " +
                                      std::to_string(ATTN_DEVICE_ALIGNMENT) + " bytes"};
  return std::nullopt;
}

std::optional<Obstacle> obstacleOf(func::FuncOp entry, Job &job) {
  std::optional<Obstacle> found;
  entry.walk([&](Operation *op) {
    found = obstacleIn(op, job);
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

} // namespace

bool keepEntriesOfDevice(Job &job) {
  std::vector<std::pair<func::FuncOp, Obstacle>> left;
  bool keepsAny = false;
  for (auto entry : job.made.module->getOps<func::FuncOp>()) {
    if (!entry->hasAttr(model::entryAttrName))
      continue;
    if (std::optional<Obstacle> obstacle = obstacleOf(entry, job))
      left.emplace_back(entry, *obstacle);
    else
      keepsAny = true;
  }
  auto text = [&](const Obstacle &obstacle, const std::string &what) {
    std::string place = placeOf(obstacle.location);
    return (place.empty() ? job.options.input : place) + what + "not yet for --target " + job.target.name + ": " +
           obstacle.reason;
  };
  if (!keepsAny)
    return job.usersFault(text(left.front().second, ": error: "));
  for (auto &[entry, obstacle] : left) {
    job.warn(text(obstacle, ": warning: entry point '" + entry.getName().str() + "' is left out: ") + "\n");
    entry.erase();
  }
  for (auto kernel : llvm::make_early_inc_range(job.made.module->getOps<func::FuncOp>()))
    if (isKernel(kernel) && SymbolTable::symbolKnownUseEmpty(kernel, *job.made.module))
      kernel.erase();
  return true;
}

} // namespace attnc
