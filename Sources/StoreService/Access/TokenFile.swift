import Bytes
import CCrypto
import Glibc
import ObjectModel
import Threads

/// The file `tokens` of a data directory: who may do what.
///
/// One token a line, four fields with blanks between them: name, right, the SHA-256 of the token in
/// hexadecimal, the time it was made. `#` begins a comment. Writing replaces the whole file at once, so
/// that neither a reader nor a crash sees half of it; its mode is 0600.
package struct TokenFile: Sendable {
    /// One token's line.
    package struct Entry: Sendable {
        /// What the operator calls it; unique.
        package var name: String
        /// What it allows.
        package var right: Right
        /// What is stored of the token itself.
        package var hash: TokenHash
        /// When it was made, as RFC 3339 text.
        package var created: String
        /// The position of the line.
        var line: Int
    }

    /// Why the file can't be used.
    package struct Failure: Error, Sendable, CustomStringConvertible {
        /// What happened and what to do, for the operator.
        package let description: String

        /// Describes a failure.
        package init(_ description: String) { self.description = description }
    }

    /// Where the file lies.
    package let path: String

    /// The tokens of a data directory.
    package init(directory: String) { path = directory + "/tokens" }

    /// The longest file that is read.
    private static let byteCountMax = 4 << 20

    /// The tokens in the file; nil when there is no file.
    package func read() throws(Failure) -> [Entry]? {
        try text().map(parse)
    }

    private func text() throws(Failure) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw failure("opened")
        }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: Self.byteCountMax + 1)
        let count = bytes.withUnsafeMutableBytes { readAll(file, into: $0, at: 0) }
        guard count >= 0 else { throw failure("read") }
        guard count <= Self.byteCountMax else {
            throw Failure("\(path) is larger than \(Self.byteCountMax) bytes")
        }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }

    private func parse(_ text: String) throws(Failure) -> [Entry] {
        var entries: [Entry] = []
        for (index, line) in Self.lines(text).enumerated() {
            let content = line.prefix { $0 != "#" }
            let fields = content.split { $0 == " " || $0 == "\t" || $0 == "\r" }
            if fields.isEmpty { continue }
            guard fields.count == 4, let right = Right(rawValue: String(fields[1])),
                let hash = TokenHash(hexadecimal: fields[2])
            else {
                throw Failure(
                    "\(path), line \(index + 1): expected a name, read, write or admin, "
                        + "64 hexadecimal digits and a time")
            }
            let name = String(fields[0])
            guard !entries.contains(where: { $0.name == name }) else {
                throw Failure("\(path), line \(index + 1): a second token is named '\(name)'")
            }
            entries.append(
                Entry(
                    name: name, right: right, hash: hash, created: String(fields[3]), line: index))
        }
        return entries
    }

    /// Lines end with a line feed; a carriage return before it is a blank (Swift sees one character).
    private static func lines(_ text: String) -> [Substring] {
        text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    }

    /// Replaces the file: written beside it, synced, renamed, and the directory synced.
    private func write(_ text: String, in parent: Int32) throws(Failure) {
        let temporary = path + ".new"
        unlink(temporary)
        let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure("written") }
        errno = Array(text.utf8).withUnsafeBytes { writeAll($0, to: file) }
        let isWritten = errno == 0 && fsync(file) == 0
        let error = errno
        close(file)
        errno = error
        guard isWritten, rename(temporary, path) == 0 else { throw failure("written") }
        guard fsync(parent) == 0 else { throw failure("synced") }
    }

    /// Lets one process at a time change the file, so that none overwrites what another has added.
    private func locked<Result>(
        _ body: (_ parent: Int32) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let parent = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard parent >= 0 else { throw failure("locked") }
        defer { close(parent) }
        guard uninterrupted({ flock(parent, LOCK_EX) }) == 0 else { throw failure("locked") }
        // A child that is just being started has the descriptor too: closing ours is not enough.
        defer { flock(parent, LOCK_UN) }
        return try body(parent)
    }

    private var directory: String { String(path.dropLast("/tokens".count)) }

    private func failure(_ what: String) -> Failure {
        Failure("\(path) can't be \(what): \(String(cString: strerror(errno)))")
    }

    // MARK: Changes

    /// Whether a name can stand in the file: letters, digits, `.`, `_`, `-` and `@`, at most 64.
    package static func isName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 64
            && name.utf8.allSatisfy { byte in
                (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
                    || ".-_@".utf8.contains(byte)
            }
    }

    private static let header =
        "# Tokens of this store: name, right, SHA-256, time. See `holdfast token create --help`.\n"

    /// Adds a fresh token; what else stands in the file stays.
    ///
    /// - Returns: The token itself, which is stored nowhere.
    package func create(name: String, right: Right) throws(Failure) -> String {
        guard Self.isName(name) else {
            throw Failure(
                "'\(name)' is not a name for a token: use up to 64 letters, digits, '.', "
                    + "'_', '-' and '@'")
        }
        return try locked { parent throws(Failure) in
            var text = try text() ?? Self.header
            guard try !parse(text).contains(where: { $0.name == name }) else {
                throw Failure(
                    "there is a token named '\(name)' already; revoke it first, or choose "
                        + "another name")
            }
            let token = try Self.makeToken()
            guard let hash = Array(token.utf8).withUnsafeBytes({ TokenHash(of: $0) }) else {
                throw Failure("the token can't be hashed")
            }
            var now = Timestamp.now()
            now.nanoseconds = 0
            if !text.utf8.isEmpty, text.utf8.last != UInt8(ascii: "\n") { text += "\n" }
            text += "\(name) \(right.rawValue) \(hash.hexadecimal) \(now)\n"
            try write(text, in: parent)
            return token
        }
    }

    /// Removes a token; false when there is none of that name. The file stays, even without a token, so
    /// that a service does not become open to everybody.
    package func revoke(name: String) throws(Failure) -> Bool {
        try locked { parent throws(Failure) in
            guard let text = try text(),
                let found = try parse(text).first(where: { $0.name == name })
            else { return false }
            var lines = Self.lines(text)
            lines.remove(at: found.line)
            try write(lines.joined(separator: "\n"), in: parent)
            return true
        }
    }

    /// `hf_` and 32 random bytes in base64's URL alphabet.
    private static func makeToken() throws(Failure) -> String {
        var random = [UInt8](repeating: 0, count: 32)
        guard shim_random(&random, random.count) == 1 else {
            throw Failure("the system has no random bytes")
        }
        let text = ByteBuffer(capacity: 64)
        text.append("hf_")
        random.withUnsafeBytes { Base64.encode($0, alphabet: .url, into: text) }
        return String(decoding: text.bytes, as: UTF8.self)
    }
}
