// A machine with round numbers.
#pragma once

#include "compiler/Predict/Machine.h"

namespace attnc {

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
