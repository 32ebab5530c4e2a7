#include "compiler/Codegen/Host/Moves.h"

using namespace mlir;

namespace attnc {

namespace {

class DeviceMoves : public Moves {
public:
  DeviceMoves(HostFunction &host, Launcher &launcher, MoveKernels &kernels)
      : host(host), launcher(launcher), kernels(kernels), fetched(host.stackArray(1)) {}

  void copy(Value to, Value from, Value bytes) override { launch(kernels.copy(), {to, from}, {bytes}); }

  void append(const Append &append) override {
    SmallVector<Value> buffers = {append.cache, append.rows, append.lengths};
    if (append.counts)
      buffers.push_back(append.counts);
    AppendVariant form = {append.unit, append.ring, bool(append.counts), append.isState, bool(append.step)};
    SmallVector<Value> numbers = {append.outer, append.positions, append.capacity,
                                  append.units, append.stride,    append.rowCount};
    if (append.step)
      numbers.append({append.step, append.steps});
    launch(kernels.append(form), buffers, numbers);
  }

  Value checkRoom(ArrayRef<Room> rooms) override {
    for (const Room &room : rooms) {
      SmallVector<Value> buffers = {room.lengths};
      if (room.counts)
        buffers.push_back(room.counts);
      launch(kernels.checkRoom(room.ring, bool(room.counts)), buffers, {room.rows, room.positions, room.capacity});
    }
    return {};
  }

  Value checkBlocks(ArrayRef<Room>) override { return {}; }

  /// Launches a fetch: the executor copies the word to the stack, and errors of kernels or of the device to the status.
  Value fetch(Value word) override {
    KernelPhase phase{fetchSymbol.str(), 1};
    launcher.launch(phase, {word}, {}, fetched, host.null(), host.number(0));
    Value done = LLVM::LoadOp::create(host.builder, host.location, host.builder.getI32Type(), fetched);
    done = arith::OrIOp::create(host.builder, host.location, done, launcher.result());
    return arith::ExtSIOp::create(host.builder, host.location, host.i64, done);
  }

private:
  HostFunction &host;
  Launcher &launcher;
  MoveKernels &kernels;
  Value fetched;

  void launch(const KernelPhase &phase, ArrayRef<Value> buffers, ArrayRef<Value> sizes) {
    launcher.launch(phase, buffers, sizes, host.null(), host.null(), host.number(0));
  }
};

} // namespace

std::unique_ptr<Moves> movesOfDevice(HostFunction &host, Launcher &launcher, MoveKernels &kernels) {
  return std::make_unique<DeviceMoves>(host, launcher, kernels);
}

} // namespace attnc
