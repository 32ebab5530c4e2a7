#include "compiler/Codegen/Host/Moves.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace attnc {

namespace {

class HostMoves : public Moves {
public:
  explicit HostMoves(HostFunction &host) : host(host) {}

  void copy(Value to, Value from, Value bytes) override {
    LLVM::MemcpyOp::create(host.builder, host.location, to, from, host.toI64(bytes), /*isVolatile=*/false);
  }

  void append(const Append &append) override;
  Value checkRoom(ArrayRef<Room> rooms) override;

  Value fetch(Value word) override {
    Value done = LLVM::LoadOp::create(host.builder, host.location, host.builder.getI32Type(), word);
    return arith::ExtSIOp::create(host.builder, host.location, host.i64, done);
  }

private:
  HostFunction &host;

  Value open(Value begin, Value end) {
    auto loop = scf::ForOp::create(host.builder, host.location, begin, end, host.number(1));
    host.builder.setInsertionPointToStart(loop.getBody());
    return loop.getInductionVar();
  }
};

/// The positions of a row are contiguous in the cache and are copied at once. A ring buffer is written position by
/// position, and only with the last positions that fit.
void HostMoves::append(const Append &append) {
  OpBuilder &builder = host.builder;
  OpBuilder::InsertionGuard outside(builder);
  Value bytes = host.times(append.units, host.number(append.unit));
  auto move = [&](Value target, Value source, Value count) {
    copy(host.advance(append.cache, host.times(target, bytes)), host.advance(append.rows, host.times(source, bytes)),
         host.times(count, bytes));
  };
  Value each = open(host.number(0), append.outer);
  Value row = builder.createOrFold<arith::DivUIOp>(host.location, each, append.stride);
  row = builder.createOrFold<arith::RemUIOp>(host.location, row, append.rowCount);
  Value before = host.loadNumber32(append.lengths, row), target = host.times(each, append.capacity);
  Value source = host.times(each, append.positions);
  Value count = append.counts ? host.loadNumber32(append.counts, row) : append.steps ? append.steps : append.positions;
  // Positions `begin`, if this is a ring, up to `end` of the rows are written.
  Value begin = builder.createOrFold<arith::SubIOp>(host.location, count, append.capacity), end = count;
  if (append.step) {
    before = host.add(before, append.step);
    begin = builder.createOrFold<arith::SubIOp>(host.location, begin, append.step);
    end = builder.createOrFold<arith::SubIOp>(host.location, end, append.step);
    end = arith::MinSIOp::create(builder, host.location, end, append.positions);
    if (!append.ring)
      end = arith::MaxSIOp::create(builder, host.location, end, host.number(0));
  }
  if (!append.ring && !append.isState) {
    // A cache in the arena has sufficient capacity for valid lengths. Invalid lengths have already set the status, and
    // must not cause writes out of bounds.
    Value last = builder.createOrFold<arith::SubIOp>(host.location, append.capacity, end);
    before = arith::MinSIOp::create(builder, host.location, before, last);
    before = arith::MaxSIOp::create(builder, host.location, before, host.number(0));
  }
  if (!append.ring)
    return move(host.add(target, before), source, end);
  Value position = open(arith::MaxSIOp::create(builder, host.location, begin, host.number(0)), end);
  Value slot = arith::RemUIOp::create(builder, host.location, host.add(before, position), append.capacity);
  move(host.add(target, slot), host.add(source, position), host.number(1));
}

Value HostMoves::checkRoom(ArrayRef<Room> rooms) {
  using arith::CmpIPredicate;
  Value result = host.bit(true);
  for (const Room &room : rooms) {
    auto loop = scf::ForOp::create(host.builder, host.location, host.number(0), room.rows, host.number(1), result);
    OpBuilder::InsertionGuard outside(host.builder);
    host.builder.setInsertionPointToStart(loop.getBody());
    Value before = host.loadNumber32(room.lengths, loop.getInductionVar());
    Value fits = host.both(loop.getRegionIterArg(0), host.compare(CmpIPredicate::sge, before, host.number(0)));
    Value count = room.positions;
    if (room.counts) {
      count = host.loadNumber32(room.counts, loop.getInductionVar());
      fits = host.both(fits, host.both(host.compare(CmpIPredicate::sge, count, host.number(0)),
                                       host.compare(CmpIPredicate::sle, count, room.positions)));
    }
    if (!room.ring)
      fits = host.both(fits, host.compare(CmpIPredicate::sle, host.add(before, count), room.capacity));
    scf::YieldOp::create(host.builder, host.location, fits);
    result = loop.getResult(0);
  }
  return result;
}

} // namespace

std::unique_ptr<Moves> movesOfHost(HostFunction &host) { return std::make_unique<HostMoves>(host); }

} // namespace attnc
