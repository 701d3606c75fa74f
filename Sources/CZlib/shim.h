// The door to zlib: only what Swift cannot import is written here.
#ifndef HOLDFAST_CZLIB_SHIM_H
#define HOLDFAST_CZLIB_SHIM_H

#include <zlib.h>

/// `deflateInit2` is a macro. Prepares a gzip writer (window 15 + 16) of the given level.
static inline int shim_deflate_init_gzip(z_streamp stream, int level) {
    return deflateInit2(stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
}

/// `inflateInit2` is a macro. Prepares a reader that takes gzip and nothing else.
static inline int shim_inflate_init_gzip(z_streamp stream) {
    return inflateInit2(stream, 15 + 16);
}

#endif
