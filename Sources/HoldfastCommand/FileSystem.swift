import Glibc

/// Questions to the file system, and small files.
enum FileSystem {
    static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// The path without links, `.` and `..`; as far as it exists, if it does not. Nil if it can't be read.
    static func realPath(_ path: String) -> String? {
        if let found = realpath(path, nil) {
            defer { free(found) }
            return String(cString: found)
        }
        guard errno == ENOENT, path != "." else { return nil }
        var parts = path.split(separator: "/", omittingEmptySubsequences: true)
        guard let name = parts.popLast() else { return nil }
        let parent = (path.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
        return realPath(parent.isEmpty ? "." : parent).map {
            $0 == "/" ? "/\(name)" : "\($0)/\(name)"
        }
    }

    /// An open directory. It stays the same directory even if its name changes.
    struct OpenDirectory: ~Copyable {
        private let descriptor: Int32

        /// Opens a directory. A directory that could not be opened never counts as removed.
        init(_ path: String) { descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }

        deinit { if descriptor >= 0 { close(descriptor) } }

        var isRemoved: Bool {
            var status = stat()
            return descriptor >= 0 && fstat(descriptor, &status) == 0 && status.st_nlink == 0
        }
    }

    /// The directory in which a path's last part would be made, if that directory is missing.
    static func missingParent(of path: String) -> String? {
        let parts = path.split(separator: "/")
        guard parts.count > 1 else { return nil }
        let parent = (path.hasPrefix("/") ? "/" : "") + parts.dropLast().joined(separator: "/")
        return isDirectory(parent) ? nil : parent
    }

    /// The system's words for an `errno`.
    static func describe(_ code: Int32) -> String { String(cString: strerror(code)) }

    /// All bytes of a file, or of standard input for `-`, unpacked when they are gzip.
    static func read(_ path: String, byteCountMax: Int) throws(CommandFailure) -> [UInt8] {
        let input = try GzipInput(path)
        var bytes: [UInt8] = []
        while true {
            let piece = try input.read()
            if piece.isEmpty { return bytes }
            bytes += piece
            guard bytes.count <= byteCountMax else {
                throw CommandFailure("'\(path)' is larger than \(byteCountMax) bytes")
            }
        }
    }

    /// The bytes of a file's first line, without its end. The file is read as by ``read(_:byteCountMax:)``.
    static func firstLine(
        _ path: String, byteCountMax: Int
    ) throws(CommandFailure) -> ArraySlice<UInt8> {
        try read(path, byteCountMax: byteCountMax).prefix {
            $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r")
        }
    }
}
