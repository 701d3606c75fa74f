/// The limits of an engine.
package struct StorageLimits: Equatable, Sendable {
    /// The longest key in bytes; keys have at least one byte.
    package var keyByteCountMax: Int
    /// The longest value in bytes.
    package var valueByteCountMax: Int
    /// How many snapshots can be open at once.
    package var snapshotCountMax: Int

    /// Makes a set of limits.
    package init(keyByteCountMax: Int, valueByteCountMax: Int, snapshotCountMax: Int) {
        self.keyByteCountMax = keyByteCountMax
        self.valueByteCountMax = valueByteCountMax
        self.snapshotCountMax = snapshotCountMax
    }
}
