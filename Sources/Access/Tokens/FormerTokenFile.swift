import Glibc
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastThreads

/// The file `tokens` of a data directory, in which versions before storage format 6 kept the tokens.
///
/// Each line has one token, with four fields separated by blanks: name, right, the SHA-256 of the token in hexadecimal, the time
/// of creation. `#` begins a comment.
package struct FormerTokenFile: Sendable {
    /// The reason why the file cannot be imported.
    package struct Failure: Error, Sendable, CustomStringConvertible {
        /// A sentence for the operator: the problem, and the next step.
        package let description: String

        init(_ description: String) { self.description = description }
    }

    /// One token's line.
    typealias Entry = (name: String, terms: TokenTerms, hash: TokenHash, created: Timestamp)

    private let path: String
    private let directory: String

    /// The file of a data directory.
    package init(directory: String) {
        self.directory = directory
        path = directory + "/tokens"
    }

    /// The maximum file size.
    private static let byteCountMax = 4 << 20

    /// Moves the tokens of the file into the store, and removes the file when that is durable. Tokens that were already moved
    /// before a crash are accepted.
    ///
    /// - Returns: The number of tokens; nil if there is no file.
    /// - Throws: ``Failure``. The store then has none of the tokens, or it has all and the file still exists.
    package func moveTokens(to tokens: StoredTokens) throws(Failure) -> Int? {
        guard let entries = try read() else { return nil }
        do throws(RequestFault) {
            try tokens.add(entries)
        } catch {
            throw Failure("\(path) can't be taken over into the store: \(error.detail)")
        }
        guard unlink(path) == 0 else { throw failure("removed, now that the store has its tokens") }
        let parent = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard parent >= 0 else { throw failure("removed") }
        defer { close(parent) }
        guard fsync(parent) == 0 else { throw failure("removed") }
        return entries.count
    }

    /// Reads the tokens in the file; nil if there is no file.
    func read() throws(Failure) -> [Entry]? {
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
        // A carriage return before a line feed counts as a blank (Swift sees both as one character).
        let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
        for (index, line) in lines.enumerated() {
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
            var time = String(fields[3])
            let created = time.withUTF8 { Timestamp(rfc3339: UnsafeRawBufferPointer($0)) }
            entries.append((name, TokenTerms(right), hash, created ?? .now()))
        }
        // If two lines have the same token, the last one counts.
        return entries.indices.filter { index in
            !entries[(index + 1)...].contains { $0.hash == entries[index].hash }
        }.map { entries[$0] }
    }

    private func failure(_ what: String) -> Failure {
        Failure("\(path) can't be \(what): \(String(cString: strerror(errno)))")
    }
}
