/// The sample data that the program contains.
#ifndef HOLDFAST_CSAMPLE_H
#define HOLDFAST_CSAMPLE_H

#include <stddef.h>

/// A file of the folder `Examples`.
typedef struct {
    /// The class of the objects; null for the schema.
    const char *className;
    const void *bytes;
    size_t count;
} HFSampleFile;

/// The files of the sample `world`, in the order in which they are put into a store: a class comes after the classes that its links
/// lead to. The last entry has no bytes.
const HFSampleFile *HFSampleWorld(void);

#endif
