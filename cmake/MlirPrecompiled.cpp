// Holds the precompiled header of MlirPrecompiled.h.
