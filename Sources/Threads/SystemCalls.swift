import Glibc

/// Repeats a system call as long as a signal interrupts it.
@inlinable
package func uninterrupted<Result: SignedInteger>(_ call: () -> Result) -> Result {
    while true {
        let result = call()
        if result >= 0 || errno != EINTR { return result }
    }
}

/// Writes all of `bytes` to a descriptor, at its file position or at an offset.
///
/// - Returns: 0, or the number of the error; `EIO` if no more bytes are taken and no reason is given, as by a broken or full
///   medium.
package func writeAll(
    _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, at offset: Int? = nil
) -> Int32 {
    var done = 0
    while done < bytes.count, let base = bytes.baseAddress {
        let count = uninterrupted {
            offset.map { pwrite(descriptor, base + done, bytes.count - done, off_t($0 + done)) }
                ?? write(descriptor, base + done, bytes.count - done)
        }
        guard count > 0 else { return count < 0 ? errno : EIO }
        done += count
    }
    return 0
}

/// Reads from an offset of a file until `buffer` is full or the file ends.
///
/// - Returns: The number of bytes read; -1 with `errno` if the read failed.
package func readAll(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
) -> Int {
    var done = 0
    while done < buffer.count, let base = buffer.baseAddress {
        let count = uninterrupted {
            pread(descriptor, base + done, buffer.count - done, off_t(offset + done))
        }
        if count < 0 { return -1 }
        if count == 0 { break }
        done += count
    }
    return done
}

/// Returns the names in a directory; nil, with `errno`, if it cannot be read.
package func directoryNames(_ path: String) -> [String]? {
    guard let folder = opendir(path) else { return nil }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        if name != ".", name != ".." { names.append(name) }
    }
    return names
}
