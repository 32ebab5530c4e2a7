// Holds a precompiled header: AttncLibrary.cmake says which.
