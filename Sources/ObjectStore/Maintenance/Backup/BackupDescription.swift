/// A backup's description of itself.
package struct BackupDescription: Sendable, Equatable {
    /// The version of the store when the backup was begun; its epoch is that of the store it was made of.
    package var version: StoreVersion
    /// When that was, in seconds since 1970.
    package var seconds: Int64
    /// The version of what lies under the keys, see ``StoreFormat``.
    var storeFormat: UInt32
}
