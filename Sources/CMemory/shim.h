// The door to what glibc's allocator offers beyond the C standard.
#ifndef HOLDFAST_CMEMORY_SHIM_H
#define HOLDFAST_CMEMORY_SHIM_H

#include <malloc.h>

/// Gives free memory back to the system (malloc_trim(3)). Takes a few milliseconds; any thread.
static inline void shim_trim_memory(void) { malloc_trim(0); }

#endif
