#include "Runtime.h"

#include <stddef.h>

/// A range of bytes in a loaded image.
struct section {
    uintptr_t start;
    size_t length;
};

/// The sections of one image, as `swift_enumerateAllMetadataSections` hands them over; what lies behind those that are read is
/// left out.
struct sections {
    uintptr_t version;
    const void *base;
    void *unused0;
    void *unused1;
    struct section protocols;
    struct section conformances;
    struct section types;
};

extern void swift_enumerateAllMetadataSections(bool (*body)(const struct sections *, void *), void *context);

extern void *swift_tryRetain(void *object);

// The flags of 0 ask for an answer alone; `swift_task_isCurrentExecutor` ends a process built for Swift 6 instead of answering no.
extern bool swift_task_isCurrentExecutorWithFlags(const void *identity, uintptr_t implementation, uint64_t flags)
    __attribute__((swiftcall));

enum {
    // The layouts up to this one begin with the members above.
    known_version = 5,
    // The kind of a context descriptor, in the low bits of its flags, that is a class.
    kind_mask = 0x1f,
    kind_class = 16,
    flag_generic = 0x80,
    // Of the flags of a type: whether its metadata is made by the program that imports it.
    flag_foreign = 2 << 16,
    initialization_mask = 3 << 16,
};

/// The beginning of a type's descriptor. Offsets are from their own address; 0 is none.
struct descriptor {
    uint32_t flags;
    int32_t parent;
    int32_t name;
    int32_t access_function;
};

/// What a metadata access function returns.
struct response {
    const void *metadata;
    size_t state;
};

typedef struct response (*access_function)(size_t request) __attribute__((swiftcall));

struct search {
    holdfast_class_body body;
    void *context;
    bool is_whole;
};

static const void *target(const int32_t *offset) {
    return *offset == 0 ? NULL : (const void *)((intptr_t)offset + *offset);
}

static bool search_image(const struct sections *image, void *context) {
    struct search *search = context;
    if (image->version > known_version) {
        search->is_whole = false;
        return true;
    }
    const int32_t *record = (const int32_t *)image->types.start;
    const int32_t *end = (const int32_t *)(image->types.start + image->types.length);
    for (; record < end; record++) {
        // The low bits of a record tell how it points; 0 is straight.
        if ((*record & 3) != 0) {
            continue;
        }
        const struct descriptor *type = target(record);
        if (type == NULL || (type->flags & kind_mask) != kind_class || (type->flags & flag_generic) != 0 ||
            (type->flags & initialization_mask) == flag_foreign) {
            continue;
        }
        access_function access = (access_function)target(&type->access_function);
        if (access == NULL) {
            continue;
        }
        const void *metadata = access(0).metadata;
        if (metadata != NULL) {
            search->body(metadata, search->context);
        }
    }
    return true;
}

bool holdfast_for_each_class(holdfast_class_body body, void *context) {
    struct search search = {body, context, true};
    swift_enumerateAllMetadataSections(search_image, &search);
    return search.is_whole;
}

bool holdfast_try_retain(void *object) { return swift_tryRetain(object) != NULL; }

bool holdfast_is_on_executor(const void *identity, uintptr_t implementation) {
    return swift_task_isCurrentExecutorWithFlags(identity, implementation, 0);
}
