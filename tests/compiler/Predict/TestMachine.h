// A machine of the cost model (compiler/Predict/Machine.h) with round numbers, for tests of predictions.
#pragma once

#include "compiler/Predict/Machine.h"

namespace attnc {

/// One core with 16 lanes. Multiply-adds and bytes of each memory level take one second each, divisions 10, square
/// roots 20; other instructions take 1 ns. Levels: L1 of 1000 bytes, L2 of 10000 bytes, main memory. Other members are
/// those of defaultMachine(16).
inline Machine testMachine() {
  Machine machine = defaultMachine(16);
  machine.fma = machine.arithmetic = machine.narrow = 1;
  machine.divide = 0.1;
  machine.root = 0.05;
  for (double Machine::*rate : {&Machine::load, &Machine::broadcast, &Machine::store, &Machine::shuffle,
                                &Machine::gather, &Machine::scalar, &Machine::scalarDivide, &Machine::issue})
    machine.*rate = 1e9;
  machine.latency = machine.sumLatency = 1e-9;
  machine.levels = {{"L1", 1000, 1, 1, 1}, {"L2", 10000, 1, 1, 1}, {"memory", INT64_MAX, 1, 1, 1}};
  return machine;
}

} // namespace attnc
