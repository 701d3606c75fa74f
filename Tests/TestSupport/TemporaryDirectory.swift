import Glibc

/// A directory that is removed, with what it holds, when the last reference goes.
package final class TemporaryDirectory: Sendable {
    /// The directory's absolute path.
    package let path: String

    /// Makes an empty directory below `HOLDFAST_TEST_DIRECTORY`, or `/tmp`.
    package init() {
        let parent = getenv("HOLDFAST_TEST_DIRECTORY").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/holdfast-test-XXXXXX".utf8CString)
        precondition(mkdtemp(&template) != nil, "can't make a directory in \(parent)")
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { Self.remove(path) }

    /// Removes a file, or a directory and all below it.
    package static func remove(_ path: String) {
        // A link is removed, and not the folder that it leads to.
        if unlink(path) != 0, let directory = opendir(path) {
            while let entry = readdir(directory) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                if name != "." && name != ".." { remove("\(path)/\(name)") }
            }
            closedir(directory)
            rmdir(path)
        }
    }

    /// Reads the contents of the file at `path`; nil when it can't be read.
    package static func contents(_ path: String) -> [UInt8]? {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = fread(&part, 1, part.count, file)
            if count == 0 { return bytes }
            bytes += part[..<count]
        }
    }

    /// The permissions of the file or directory at `path`.
    package static func permissions(_ path: String) -> mode_t {
        var status = stat()
        stat(path, &status)
        return status.st_mode & 0o7777
    }

    /// Writes a file; traps when that fails, as every test that needs one would.
    package static func write(_ bytes: [UInt8], to path: String) {
        guard let file = fopen(path, "we") else { preconditionFailure("can't write \(path)") }
        let count = fwrite(bytes, 1, bytes.count, file)
        precondition(fclose(file) == 0 && count == bytes.count, "can't write \(path)")
    }
}
