import Glibc
import HoldfastStorage
import HoldfastThreads

/// A process's lock on a store: the locked file of its directory, released with its owner.
///
/// Releasing it unlocks the file before it is closed. A child that another thread is just starting has the descriptor as well
/// until it runs its own program, so closing alone would leave the store locked meanwhile (flock(2): the lock goes with the last
/// descriptor, or with an explicit unlocking through any one).
struct StoreLock: ~Copyable, Sendable {
    private let file: FileDescriptor

    private init(holding file: consuming FileDescriptor) { self.file = file }

    /// Locks `file`, and writes this process's number into it.
    ///
    /// - Parameters:
    ///   - file: The lock file.
    ///   - store: The path by which an error names the store.
    /// - Returns: The lock, which lasts as long as this value.
    /// - Throws: ``StorageError`` `.locked` if another process has the lock.
    static func take(
        _ file: consuming FileDescriptor, store: String
    ) throws(StorageError) -> StoreLock {
        if uninterrupted({ flock(file.number, LOCK_EX | LOCK_NB) }) != 0 {
            guard errno == EWOULDBLOCK else {
                throw StorageError(
                    systemError: errno, operation: "lock store", detail: LMDBDirectory.lockName)
            }
            let text = try file.contents(byteCountMax: 20, operation: "lock store")
            let owner = String(decoding: text, as: UTF8.self).split(separator: "\n").first
            throw StorageError(
                .locked, operation: "lock store",
                native: "\(store) is in use by process \(owner ?? "(unknown)")")
        }
        let lock = StoreLock(holding: file)
        // Only the message above uses the number. It is missing if the medium is full or cannot be written.
        try? lock.file.replaceContents([UInt8]("\(getpid())\n".utf8), operation: "lock store")
        return lock
    }

    deinit { _ = flock(file.number, LOCK_UN) }
}
