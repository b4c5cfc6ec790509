// What Swift cannot reach of zlib: deflateInit2 is a macro.
#ifndef PIPPIN_CZLIB_SHIM_H
#define PIPPIN_CZLIB_SHIM_H

#include <zlib.h>

// Writes `source` in the gzip format (RFC 1952), smallest size first; answers its length, or 0 when it does
// not fit into `capacity` octets.
static inline size_t pippin_gzip(
    const void *_Nullable source, size_t source_size, void *_Nonnull target, size_t capacity) {
    z_stream stream = { 0 };
    if (source_size > 0x7fffffff || capacity > 0x7fffffff) return 0;
    if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) != Z_OK) return 0;
    stream.next_in = (Bytef *) source;
    stream.avail_in = (uInt) source_size;
    stream.next_out = (Bytef *) target;
    stream.avail_out = (uInt) capacity;
    int result = deflate(&stream, Z_FINISH);
    size_t written = stream.total_out;
    deflateEnd(&stream);
    return result == Z_STREAM_END ? written : 0;
}

#endif
