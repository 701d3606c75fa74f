import HoldfastStorage

/// Why a backup can't be read or restored.
package enum BackupFault: Error, Equatable {
    /// It is something else.
    case noBackup
    /// It has a form, or holds a store of a format, that this program does not know.
    case unknownFormat(UInt32)
    /// It ends too early.
    case cut
    /// The bytes at this offset are not those that were written there.
    case damaged(offset: Int)
    /// Reading it failed.
    case reading(errno: Int32)
    /// The engine it should go to has something already.
    case notEmpty
    /// Writing what it holds failed.
    case storage(StorageError)
}
