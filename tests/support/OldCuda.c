/* A libcuda.so.1 of an age that has little: what the runtime says of it is tested. */
int cuInit(unsigned flags) { return (int)flags; }
