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

/// Returns the metadata of the class that a descriptor is of; null where it is of another type, or of a generic or foreign class.
const void *_Nullable holdfast_class_of(const void *_Nonnull descriptor);

/// Returns the name of a class without what it is nested in; null for a generic one, whose name has its parameters.
const char *_Nullable holdfast_class_name(const void *_Nonnull metadata);

/// Is told of one stored property: its name, the mangled name of its type, and its offset in an instance.
typedef void (*holdfast_field_body)(
    const char *_Nonnull name, const uint8_t *_Nonnull type_name, intptr_t offset, void *_Nullable context);

/// Hands over the stored properties of a class in order, those of its base classes first, but for those of `root` and above.
///
/// No type is looked up, which takes microseconds each.
///
/// Source: docs/ABI/Mangling.rst and include/swift/RemoteInspection/Records.h of the Swift project, and its
/// stdlib/public/runtime/ReflectionMirror.cpp for what the offsets are asked of.
///
/// @return False where the class or a base class is generic, so that the names of types do not say them by themselves: nothing was
/// handed over then.
bool holdfast_for_each_field(
    const void *_Nonnull metadata, const void *_Nonnull root, holdfast_field_body _Nonnull body, void *_Nullable context);

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

/// Returns the number of the calling thread, which no other thread of the process has or has had, unlike `pthread_self`.
uint64_t holdfast_thread_number(void);

#endif
