/// The options with which an ``LMDBEngine`` is opened.
package struct LMDBOptions: Sendable {
    /// The failures that a returned commit survives.
    package enum Durability: String, Sendable, CaseIterable {
        /// The commit is on the medium: it survives `kill -9` and a power cut.
        case full
        /// The operating system has the commit: it survives `kill -9`. A power cut or a kernel crash loses the commits of the
        /// last seconds, and leaves the store intact.
        case relaxed
    }

    /// The access for which the engine is opened.
    package enum Access: Sendable {
        /// Reading and writing. A store whose medium is full is opened for reading.
        case writing
        /// Reading: nothing is written, so that the medium may be read-only.
        case reading
    }

    /// The data directory. If it is missing, its last component is created with mode 0700.
    package var directory: String
    /// The address space that is reserved for the data, in bytes; the data cannot grow beyond it.
    ///
    /// Reserving costs neither memory nor disk. LMDB's map must not be resized under a live reader, and about 127 reservations of
    /// 1 TiB fill the address space of a process.
    package var mapByteCount: Int
    /// The most snapshots that can be open at once.
    package var readerCountMax: Int
    /// The failures that a returned commit survives.
    package var durability: Durability
    /// The access for which the engine is opened.
    package var access = Access.writing
    /// Whether a store that was not closed in order is opened without its journal, and so without its last commits.
    package var acceptsLoss = false
    /// The most bytes of the data file's pages that are checked before it is opened; pages above the leaves come first. Reading a
    /// damaged page in LMDB may end the process. With 0, no page is checked.
    package var checkedByteCountMax = 0
    /// The longest value in bytes. LMDB stores a long value in neighbouring pages, so a very long one is hard to place in a
    /// fragmented file. The default has room for an object with the longest string that the object model allows (16 MiB), and for
    /// the change log entry that names it.
    package var valueByteCountMax: Int
    /// The time that a commit waits in the journal, in milliseconds, unless enough bytes to write have come before. A longer time
    /// makes look-ups a little slower meanwhile, and a checkpoint cheaper for each commit.
    package var checkpointMilliseconds: Int
    /// The most bytes of commits that wait for a checkpoint. While a checkpoint is under way there may be twice as many. Beyond
    /// that, a writer waits with its next transaction; a single one of up to 32 MiB may go beyond it.
    package var checkpointByteCount: Int
    /// The number of changes of one transaction of a checkpoint, apart from long runs of new keys.
    ///
    /// LMDB does not reuse pages that the transaction before has freed. A checkpoint that changes an entry on nearly every page,
    /// as a load in random order does, would double the file if it used one transaction. Each transaction costs two syncs.
    package var checkpointChangeCount: Int

    /// The map of a served store: 1 TiB.
    package static let servedMapByteCount = 1 << 40
    /// The map of other stores, such as embedded ones and tests: 16 GiB.
    package static let embeddedMapByteCount = 16 << 30

    /// Creates options; only the directory has no default.
    package init(
        directory: String, mapByteCount: Int = LMDBOptions.servedMapByteCount,
        readerCountMax: Int = 4096, durability: Durability = .full,
        valueByteCountMax: Int = 64 << 20, checkpointMilliseconds: Int = 1000,
        checkpointByteCount: Int = 8 << 20, checkpointChangeCount: Int = 2048
    ) {
        self.directory = directory
        self.mapByteCount = mapByteCount
        self.readerCountMax = readerCountMax
        self.durability = durability
        self.valueByteCountMax = valueByteCountMax
        self.checkpointMilliseconds = checkpointMilliseconds
        self.checkpointByteCount = checkpointByteCount
        self.checkpointChangeCount = max(checkpointChangeCount, 1)
    }
}
