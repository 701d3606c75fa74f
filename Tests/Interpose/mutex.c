/// Swift's `Mutex` as the thread sanitizer can see it, for programs built with it and started with LD_PRELOAD.
///
/// A `Mutex` that is free is taken and given up by an atomic operation in the program, which the sanitizer sees. One that is contended is taken
/// and handed on in Swift's library, which is built without it, and by the kernel: what its closures publish would look like races.
/// The two functions of the library stand behind those here, which tell the sanitizer. Where a later Swift has none of these names nothing
/// is told, and the reports come back.
///
/// Built by `scripts/run-sanitized`; the names are those of `_MutexHandle._lockSlow(_:)` and `_unlockSlow()`.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#define LOCK_NAME "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK_NAME "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *mutex

typedef SWIFT void lock_function(uint32_t thread, SELF);
typedef SWIFT void unlock_function(SELF);

// The sanitizer's; the programs that start the tests have none.
extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

static lock_function *lock_behind;
static unlock_function *unlock_behind;

__attribute__((constructor)) static void find(void) {
    lock_behind = (lock_function *)dlsym(RTLD_NEXT, LOCK_NAME);
    unlock_behind = (unlock_function *)dlsym(RTLD_NEXT, UNLOCK_NAME);
}

lock_function lock __asm__(LOCK_NAME);
unlock_function unlock __asm__(UNLOCK_NAME);

SWIFT void lock(uint32_t thread, SELF) {
    lock_behind(thread, mutex);
    if (__tsan_acquire != NULL) {
        __tsan_acquire(mutex);
    }
}

SWIFT void unlock(SELF) {
    if (__tsan_release != NULL) {
        __tsan_release(mutex);
    }
    unlock_behind(mutex);
}
