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

extern const struct descriptor *swift_getTypeContextDescriptor(const void *metadata) __attribute__((swiftcall));

// Of the stored properties of a class and its base classes: how many there are, and the offset of one.
extern intptr_t swift_reflectionMirror_recursiveCount(const void *metadata) __attribute__((swiftcall));
extern intptr_t swift_reflectionMirror_recursiveChildOffset(const void *metadata, intptr_t index)
    __attribute__((swiftcall));

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
    int32_t fields;
};

/// A stored property.
struct field {
    uint32_t flags;
    int32_t type_name;
    int32_t name;
};

/// The stored properties that a type itself declares.
struct fields {
    int32_t type_name;
    int32_t superclass_name;
    uint16_t kind;
    uint16_t field_size;
    uint32_t count;
    struct field first[];
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

const void *holdfast_class_of(const void *descriptor) {
    const struct descriptor *type = descriptor;
    if ((type->flags & kind_mask) != kind_class || (type->flags & flag_generic) != 0 ||
        (type->flags & initialization_mask) == flag_foreign) {
        return NULL;
    }
    access_function access = (access_function)target(&type->access_function);
    return access == NULL ? NULL : access(0).metadata;
}

const char *holdfast_class_name(const void *metadata) {
    const struct descriptor *type = swift_getTypeContextDescriptor(metadata);
    return type == NULL || (type->flags & flag_generic) != 0 ? NULL : target(&type->name);
}

static const void *superclass(const void *metadata) { return ((const void *const *)metadata)[1]; }

bool holdfast_for_each_field(const void *metadata, const void *root, holdfast_field_body body, void *context) {
    if (metadata == NULL || metadata == root) {
        return true;
    }
    const struct descriptor *type = swift_getTypeContextDescriptor(metadata);
    if (type == NULL || (type->flags & flag_generic) != 0 ||
        !holdfast_for_each_field(superclass(metadata), root, body, context)) {
        return false;
    }
    const struct fields *fields = target(&type->fields);
    if (fields == NULL || fields->count == 0) {
        return true;
    }
    intptr_t position = swift_reflectionMirror_recursiveCount(superclass(metadata));
    for (uint32_t index = 0; index < fields->count; index++, position++) {
        const struct field *field = &fields->first[index];
        body(target(&field->name), target(&field->type_name),
             swift_reflectionMirror_recursiveChildOffset(metadata, position), context);
    }
    return true;
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
        const void *metadata = type == NULL ? NULL : holdfast_class_of(type);
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

uint64_t holdfast_thread_number(void) {
    static _Atomic uint64_t count;
    static _Thread_local uint64_t number;
    if (number == 0) number = ++count;
    return number;
}
