// Source file of the precompiled headers (AttncLibrary.cmake).
