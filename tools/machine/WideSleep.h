//===- WideSleep.h - how long wide vectors sleep, measured --------------------------------------------------------===//
#pragma once

namespace attnc::machine {

/// Processors switch off the upper halves of wide vectors where nothing has used them for a while, and run instructions
/// on those slowly until they are on again.
struct WideSleep {
  double after; ///< seconds without them
  double lost;  ///< seconds until they are awake, beside those that the instructions would have taken
  double times; ///< as long as else instructions take meanwhile
};

/// Of this core. One whose vectors never sleep has 1000 seconds, next to nothing, and once as long.
WideSleep wideSleep();

} // namespace attnc::machine
