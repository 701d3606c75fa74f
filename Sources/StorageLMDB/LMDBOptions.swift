/// How an ``LMDBEngine`` is opened.
package struct LMDBOptions: Sendable {
    /// The failures that a returned commit survives.
    package enum Durability: String, Sendable, CaseIterable {
        /// The commit is on the medium: it survives `kill -9` and a power cut.
        case full
        /// The commit is with the operating system: it survives `kill -9`. A power cut or a kernel
        /// crash loses the commits of the last seconds, and leaves the store whole.
        case relaxed
    }

    /// The access for which the engine is opened.
    package enum Access: Sendable {
        /// Reading and writing. A store whose medium is full is opened for reading.
        case writing
        /// Reading: nothing is written, so that the medium may be read-only.
        case reading
    }

    /// The data directory. Its last component is created when it is missing, with mode 0700.
    package var directory: String
    /// How much address space is reserved for the data, once; the data can't grow beyond it.
    ///
    /// Reserving costs neither memory nor disk. LMDB's map must not be resized under a live reader,
    /// and about 127 reservations of 1 TiB fill the address space of a process.
    package var mapByteCount: Int
    /// How many snapshots can be open at once.
    package var readerCountMax: Int
    /// The failures that a returned commit survives.
    package var durability: Durability
    /// The access for which the engine is opened.
    package var access = Access.writing
    /// Whether a store that was not closed in order is opened without its journal, and so without its last
    /// commits.
    package var acceptsLoss = false
    /// How many bytes of the data file's pages are checked before it is opened, those above the leaves first: a
    /// damaged page may end the process that LMDB reads it in. 0 checks none.
    package var checkedByteCountMax = 0
    /// The longest value in bytes. LMDB stores a long value in neighbouring pages, so a very long
    /// one is hard to place in a fragmented file. The default holds an object whose string, with its
    /// 16 MiB, is as long as the object model allows, and the change log entry that names it.
    package var valueByteCountMax: Int
    /// How long a commit waits in the journal, in milliseconds, unless enough to write has come before:
    /// look-ups cost a little more meanwhile, and a checkpoint costs less for each commit the more
    /// there are.
    package var checkpointMilliseconds: Int
    /// How many bytes of commits wait for a checkpoint at most. While one is under way there may be twice as many;
    /// before that a writer waits with its next transaction, and a single one of up to 32 MiB beyond as many.
    package var checkpointByteCount: Int
    /// How many changes one transaction of a checkpoint has, long runs of new keys aside.
    ///
    /// LMDB takes no page again that the transaction before has freed. A checkpoint that changes an entry
    /// on nearly every page, as a load in random order does, would by one transaction double the file.
    /// Each transaction costs two syncs.
    package var checkpointChangeCount: Int

    /// The map of a served store: 1 TiB.
    package static let servedMapByteCount = 1 << 40
    /// The map of further stores, the library's and of tests: 16 GiB.
    package static let embeddedMapByteCount = 16 << 30

    /// Makes options; only the directory has no default.
    package init(
        directory: String,
        mapByteCount: Int = LMDBOptions.servedMapByteCount,
        readerCountMax: Int = 4096,
        durability: Durability = .full,
        valueByteCountMax: Int = 64 << 20,
        checkpointMilliseconds: Int = 1000,
        checkpointByteCount: Int = 8 << 20,
        checkpointChangeCount: Int = 2048
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
