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
  Value checkBlocks(ArrayRef<Room> rooms) override;

  Value fetch(Value word) override {
    Value done = LLVM::LoadOp::create(host.builder, host.location, host.builder.getI32Type(), word);
    return arith::ExtSIOp::create(host.builder, host.location, host.i64, done);
  }

private:
  HostFunction &host;

  Value blockOf(const Append &append, Value each, Value row, Value position);
  Value checkAll(Value before, Value count, function_ref<Value(Value number)> check);

  Value open(Value begin, Value end) {
    auto loop = scf::ForOp::create(host.builder, host.location, begin, end, host.number(1));
    host.builder.setInsertionPointToStart(loop.getBody());
    return loop.getInductionVar();
  }
};

/// The positions of a row are contiguous in the cache and are copied at once. A ring buffer is written position by
/// position, and only with the last positions that fit; a paged cache is written position by position, too.
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
  if (!append.ring && !append.table.address)
    return move(host.add(target, before), source, end);
  Value first = append.ring ? begin : host.number(0);
  Value position = open(arith::MaxSIOp::create(builder, host.location, first, host.number(0)), end);
  Value stored = host.add(before, position);
  Value slot = arith::RemUIOp::create(builder, host.location, stored, append.capacity);
  if (append.table.address)
    target = host.times(blockOf(append, each, row, stored), append.capacity);
  move(host.add(target, slot), host.add(source, position), host.number(1));
}

/// The place, in [outer / rows of the batch][blocks], of the block of a position.
Value HostMoves::blockOf(const Append &append, Value each, Value row, Value position) {
  OpBuilder &builder = host.builder;
  auto div = [&](Value a, Value b) { return builder.createOrFold<arith::DivUIOp>(host.location, a, b); };
  Value entry = host.add(host.times(row, append.table.entries), div(position, append.capacity));
  Value block = host.loadNumber32(append.table.address, entry);
  Value before = div(div(each, append.stride), append.rowCount);
  Value behind = builder.createOrFold<arith::RemUIOp>(host.location, each, append.stride);
  return host.add(host.times(host.add(host.times(before, append.table.blocks), block), append.stride), behind);
}

/// A loop over numbers from 0 to `count`, whose result (i1) is `before` and all results of `check`.
Value HostMoves::checkAll(Value before, Value count, function_ref<Value(Value number)> check) {
  auto loop = scf::ForOp::create(host.builder, host.location, host.number(0), count, host.number(1), before);
  OpBuilder::InsertionGuard outside(host.builder);
  host.builder.setInsertionPointToStart(loop.getBody());
  Value holds = host.both(loop.getRegionIterArg(0), check(loop.getInductionVar()));
  scf::YieldOp::create(host.builder, host.location, holds);
  return loop.getResult(0);
}

Value HostMoves::checkRoom(ArrayRef<Room> rooms) {
  using arith::CmpIPredicate;
  Value result = host.bit(true);
  for (const Room &room : rooms)
    result = checkAll(result, room.rows, [&](Value row) {
      Value before = host.loadNumber32(room.lengths, row), count = room.positions;
      Value fits = host.compare(CmpIPredicate::sge, before, host.number(0));
      if (room.counts) {
        count = host.loadNumber32(room.counts, row);
        fits = host.both(fits, host.both(host.compare(CmpIPredicate::sge, count, host.number(0)),
                                         host.compare(CmpIPredicate::sle, count, room.positions)));
      }
      Value capacity = room.table.address ? host.times(room.capacity, room.table.entries) : room.capacity;
      return room.ring ? fits : host.both(fits, host.compare(CmpIPredicate::sle, host.add(before, count), capacity));
    });
  return result;
}

Value HostMoves::checkBlocks(ArrayRef<Room> rooms) {
  Value result;
  for (const Room &room : rooms) {
    if (!room.table.address)
      continue;
    result = checkAll(result ? result : host.bit(true), room.rows, [&](Value row) {
      Value before = host.loadNumber32(room.lengths, row);
      Value count = room.counts ? host.loadNumber32(room.counts, row) : room.positions;
      Value last = host.add(host.add(before, count), host.add(room.capacity, host.number(-1)));
      Value used = arith::DivUIOp::create(host.builder, host.location, last, room.capacity);
      Value first = host.times(row, room.table.entries);
      return checkAll(host.bit(true), used, [&](Value entry) {
        Value block = host.loadNumber32(room.table.address, host.add(first, entry));
        return host.compare(arith::CmpIPredicate::ult, block, room.table.blocks);
      });
    });
  }
  return result;
}

} // namespace

std::unique_ptr<Moves> movesOfHost(HostFunction &host) { return std::make_unique<HostMoves>(host); }

} // namespace attnc
