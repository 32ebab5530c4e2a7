/* An outdated libcuda.so.1 with few functions, for tests of the runtime's message. */
int cuInit(unsigned flags) { return (int)flags; }
