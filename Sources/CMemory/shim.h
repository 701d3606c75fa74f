// The door to what glibc's allocator and the compiler offer for memory beyond the C standard.
#ifndef HOLDFAST_CMEMORY_SHIM_H
#define HOLDFAST_CMEMORY_SHIM_H

#include <malloc.h>

/// Gives free memory back to the system (malloc_trim(3)). Takes a few milliseconds; any thread.
static inline void shim_trim_memory(void) { malloc_trim(0); }

/// Asks the processor for the cache line of an address, which need not be valid. Costs nothing to speak of.
static inline void shim_prefetch(const void *address) { __builtin_prefetch(address, 0, 3); }

#endif
