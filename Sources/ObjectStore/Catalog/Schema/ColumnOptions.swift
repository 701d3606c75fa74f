/// When a store keeps columns in memory, see ``ColumnStore``.
package struct ColumnOptions: Sendable, Equatable {
    /// The bytes of all columns; 0 for no columns at all.
    package var byteCountMax = 256 << 20
    /// Which use of a property by a scan has its column built.
    package var useCountMin = 2
    /// How many objects a class needs to be worth it.
    package var objectCountMin = 256
    /// How many other cores help with a scan; 0 for none.
    package var helperCountMax = 7
    /// After how many chunks the time that a scan takes is estimated, and again after as many more.
    package var probedChunkCount = 8
    /// How long a scan has to go on to be worth waking another thread.
    package var sharedMicrosecondsMin: UInt64 = 400
    /// The most keys that are remembered as changed for a class with columns; when more change before
    /// anybody scans it, its columns are dropped.
    package var changedKeyCountMax = 1 << 16

    /// Makes the defaults.
    package init() {}
}
