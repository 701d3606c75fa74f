import Glibc
import HTTPServer
import Synchronization

/// The tokens of a running service, in step with their file. Thread-safe.
///
/// The file is looked at when a second has passed since the last look, so a new token works and a
/// revoked one ends within that time. A file that can't be read leaves the last known tokens in force.
package final class TokenTable: Sendable {
    private struct State {
        var entries: [TokenFile.Entry] = []
        var stamp: Stamp?
    }

    /// What tells one state of the file from another.
    private struct Stamp: Equatable {
        var inode: UInt64
        var size: Int64
        var seconds: Int64
        var nanoseconds: Int64
    }

    private let file: TokenFile
    private let logger: Logger
    private let state = Mutex(State())
    /// Once a file was seen tokens are needed, even if it is deleted: a slip must not open the store.
    private let isNeeded = Atomic<Bool>(false)
    /// The second of the last look at the file.
    private let lookedAt: Atomic<Int64>

    /// Reads the file.
    ///
    /// - Throws: ``TokenFile/Failure`` when it is there and can't be used.
    package init(_ file: TokenFile, logger: Logger) throws(TokenFile.Failure) {
        self.file = file
        self.logger = logger
        lookedAt = Atomic(Self.seconds())
        let stamp = Self.stamp(file)
        let entries = try file.read()
        state.withLock {
            $0.stamp = stamp
            $0.entries = entries ?? []
        }
        isNeeded.store(entries != nil, ordering: .releasing)
    }

    /// Whether a request needs a token. Cost: a clock reading; once a second a `stat`.
    package var isEnforced: Bool {
        let now = Self.seconds()
        let last = lookedAt.load(ordering: .relaxed)
        // Of those that come in a new second one looks at the file.
        if last != now,
            lookedAt.compareExchange(
                expected: last, desired: now, ordering: .relaxed
            ).exchanged
        {
            refresh()
        }
        return isNeeded.load(ordering: .acquiring)
    }

    /// Whether there is any token.
    package var isEmpty: Bool { state.withLock { $0.entries.isEmpty } }

    /// The right that a token gives; nil for one that is unknown.
    ///
    /// Cost: one hash and a comparison with every token; which one matches shows in no time.
    package func right(of token: UnsafeRawBufferPointer) -> Right? {
        guard let hash = TokenHash(of: token) else { return nil }
        return state.withLock { state in
            var found: Right?
            for entry in state.entries where entry.hash.isEqual(hash) { found = entry.right }
            return found
        }
    }

    private func refresh() {
        let known = state.withLock { $0.stamp }
        let stamp = Self.stamp(file)
        guard stamp != known else { return }
        do throws(TokenFile.Failure) {
            let entries = try file.read()
            state.withLock {
                $0.stamp = stamp
                $0.entries = entries ?? []
            }
            if entries != nil { isNeeded.store(true, ordering: .releasing) }
        } catch {
            logger.log(
                .error, "the file of tokens can't be read; the tokens known before stay in force",
                ("detail", .text(error.description)))
        }
    }

    private static func seconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        return Int64(time.tv_sec)
    }

    private static func stamp(_ file: TokenFile) -> Stamp? {
        var status = stat()
        guard stat(file.path, &status) == 0 else { return nil }
        return Stamp(
            inode: UInt64(status.st_ino), size: Int64(status.st_size),
            seconds: Int64(status.st_mtim.tv_sec), nanoseconds: Int64(status.st_mtim.tv_nsec))
    }
}
