import Glibc
import Synchronization
import Threads

/// The tokens of a running service, in step with their file. Thread-safe.
///
/// The file is looked at once a second, by requests and by the server when there are none, so a new token
/// works and a revoked one ends within that time, with all that it has admitted. A file that can't be read
/// leaves the last known tokens in force.
package final class TokenTable<Grant: AccessGrant>: Sendable {
    private struct Known {
        var hash: TokenHash
        var access: TokenAccess<Grant>
    }

    /// The identity of one state of the file.
    private struct Stamp: Equatable {
        var inode: UInt64
        var size: Int64
        var seconds: Int64
        var nanoseconds: Int64
    }

    private let file: TokenFile
    private let report: @Sendable (TokenFile.Failure) -> Void
    private let known = Mutex<[Known]>([])
    /// The file as it was read last; held while it is read, so that nothing older comes after.
    private let stamp = Mutex<Stamp?>(nil)
    /// Once a file was seen tokens are needed, even if it is deleted: a slip must not open the store.
    private let isNeeded = Atomic<Bool>(false)
    /// The second of the last look at the file.
    private let lookedAt: Atomic<Int64>
    /// What everybody may as long as no token is needed.
    package let open = TokenAccess<Grant>(.admin)

    /// Reads the file.
    ///
    /// - `report`: Is told when it can't be read later on.
    /// - Throws: ``TokenFile/Failure`` when it is there and can't be used.
    package init(
        _ file: TokenFile, report: @escaping @Sendable (TokenFile.Failure) -> Void
    ) throws(TokenFile.Failure) {
        self.file = file
        self.report = report
        lookedAt = Atomic(Self.seconds())
        let stamp = Self.stamp(file)
        let entries = try file.read()
        self.stamp.withLock { $0 = stamp }
        adopt(entries)
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
            look()
        }
        return isNeeded.load(ordering: .acquiring)
    }

    /// Whether there is any token.
    package var isEmpty: Bool { known.withLock { $0.isEmpty } }

    /// What a token allows; nil for one that is unknown.
    ///
    /// Cost: one hash and a comparison with every token; which one matches shows in no time.
    package func access(of token: UnsafeRawBufferPointer) -> TokenAccess<Grant>? {
        guard let hash = TokenHash(of: token) else { return nil }
        return known.withLock { known in
            var found: TokenAccess<Grant>?
            for token in known where token.hash.isEqual(hash) { found = token.access }
            return found
        }
    }

    /// Reads the file if it has changed, and ends what is not allowed any more. Cost: a `stat`.
    package func look() {
        stamp.withLock { known in
            let present = Self.stamp(file)
            guard present != known else { return }
            do throws(TokenFile.Failure) {
                adopt(try file.read())
                known = present
            } catch {
                report(error)
            }
        }
    }

    /// Makes the entries of the file those that are known; nil when there is none.
    private func adopt(_ entries: [TokenFile.Entry]?) {
        // Of two lines with the same token the last one counts.
        var rights: [[UInt8]: Right] = [:]
        for entry in entries ?? [] { rights[entry.hash.bytes] = entry.right }
        known.withLock { known in
            var left: [Known] = []
            for var token in known {
                if let right = rights.removeValue(forKey: token.hash.bytes) {
                    token.access.change(to: right)
                    left.append(token)
                } else {
                    token.access.end()
                }
            }
            for entry in entries ?? [] {
                guard let right = rights.removeValue(forKey: entry.hash.bytes) else { continue }
                left.append(Known(hash: entry.hash, access: TokenAccess(right)))
            }
            known = left
        }
        if entries != nil {
            isNeeded.store(true, ordering: .releasing)
            open.end()
        }
    }

    private static func seconds() -> Int64 {
        Int64(monotonicNanoseconds() / 1_000_000_000)
    }

    private static func stamp(_ file: TokenFile) -> Stamp? {
        var status = stat()
        guard stat(file.path, &status) == 0 else { return nil }
        return Stamp(
            inode: UInt64(status.st_ino), size: Int64(status.st_size),
            seconds: Int64(status.st_mtim.tv_sec), nanoseconds: Int64(status.st_mtim.tv_nsec))
    }
}
