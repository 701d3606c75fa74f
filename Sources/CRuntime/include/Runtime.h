// What Swift's runtime library offers to C alone.
#ifndef HOLDFAST_CRUNTIME_H
#define HOLDFAST_CRUNTIME_H

#include <stdbool.h>
#include <stdint.h>

/// Is told of one class: the address of its metadata, which Swift knows as `Any.Type`.
typedef void (*holdfast_class_body)(const void *_Nonnull metadata, void *_Nullable context);

/// Hands over every class of the program and its libraries that is neither generic nor foreign.
///
/// Cost: about a millisecond for a program of some thousand types. Any thread may call it.
///
/// Source: the layout of type context descriptors in the Swift project's docs/ABI/TypeMetadata.rst, and
/// `swift_enumerateAllMetadataSections` in its stdlib/public/runtime/ImageInspectionCommon.h.
///
/// @return False where the sections have another layout than this knows: nothing was handed over from them then.
bool holdfast_for_each_class(holdfast_class_body _Nonnull body, void *_Nullable context);

/// Takes a reference to a Swift object, unless it is being freed.
///
/// The caller sees to it that the memory is still there, with a lock that the object's `deinit` takes. Other than a weak reference it costs the object
/// nothing.
///
/// @return Whether there is one.
bool holdfast_try_retain(void *_Nonnull object);

/// Whether the calling code runs on an executor: the two words of an `UnownedSerialExecutor`.
///
/// Never ends the process, unlike `assertIsolated()`.
bool holdfast_is_on_executor(const void *_Nullable identity, uintptr_t implementation);

#endif
