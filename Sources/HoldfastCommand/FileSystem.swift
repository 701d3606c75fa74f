import Glibc
import Threads

/// Questions to the file system, and small files.
enum FileSystem {
    /// Whether there is a directory of this name.
    static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// The system's words for an `errno`.
    static func describe(_ code: Int32) -> String { String(cString: strerror(code)) }

    /// The names in a directory; nil, with `errno`, when it can't be read.
    static func names(in directory: String) -> [String]? {
        guard let folder = opendir(directory) else { return nil }
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

    /// All bytes of a file, or of standard input for `-`.
    static func read(_ path: String, byteCountMax: Int) throws(CommandFailure) -> [UInt8] {
        let file = path == "-" ? dup(0) : open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            throw CommandFailure("'\(path)' can't be opened: \(String(cString: strerror(errno)))")
        }
        defer { close(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = uninterrupted { Glibc.read(file, &piece, piece.count) }
            guard count >= 0 else {
                throw CommandFailure("'\(path)' can't be read: \(String(cString: strerror(errno)))")
            }
            if count == 0 { return bytes }
            bytes.append(contentsOf: piece[..<count])
            guard bytes.count <= byteCountMax else {
                throw CommandFailure("'\(path)' is larger than \(byteCountMax) bytes")
            }
        }
    }
}
