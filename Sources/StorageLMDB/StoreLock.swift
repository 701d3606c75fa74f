import Glibc
import HoldfastStorage
import HoldfastThreads

/// A process's lock on a store: the locked file of its directory, released with its owner.
///
/// Giving it up means to unlock the file and not only to close it. A child that another thread is just starting
/// has the descriptor as well until it runs its own program, and closing ours alone would leave the store locked
/// meanwhile (flock(2): the lock goes with the last descriptor, or with an explicit unlocking through any one).
struct StoreLock: ~Copyable, Sendable {
    private let file: FileDescriptor

    private init(holding file: consuming FileDescriptor) { self.file = file }

    /// Takes the lock of `file`, and writes this process's number into it.
    ///
    /// - Parameters:
    ///   - file: The lock file.
    ///   - store: The path by which an error names the store.
    /// - Returns: What holds the store until it is gone.
    /// - Throws: ``StorageError`` `.locked` when another process has it.
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
        // The number is there for the message above alone: a medium that is full, or can't be written, has none.
        try? lock.file.replaceContents([UInt8]("\(getpid())\n".utf8), operation: "lock store")
        return lock
    }

    deinit { _ = flock(file.number, LOCK_UN) }
}
