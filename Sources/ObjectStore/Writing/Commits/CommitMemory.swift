import HoldfastBytes
import HoldfastRows
import HoldfastText

/// Memory that the groups of a commit queue use one after the other. Only the thread that works in the group uses it.
///
/// Benchmark row: `import`.
final class CommitMemory {
    /// The most bytes of a buffer that is kept for the next group.
    private static let keptByteCountMax = 1 << 20

    let overlay = Overlay()
    let rowBuilder = RowBuilder()
    /// Object keys of objects that were written; made by the first write that states a primary key.
    private(set) lazy var primaryKeys = PrimaryKeyCache()
    /// For a key under construction.
    let keyBuffer = ByteBuffer(capacity: 1024)
    /// For the key of a primary key, see ``StoredPrimaryKey``.
    let primaryKeyBuffer = ByteBuffer(capacity: 512)
    /// For a row or another value under construction.
    private(set) var rowBuffer = ByteBuffer(capacity: 4096)
    var links: ContiguousArray<LinkCount> = []
    /// For the targets of one draft.
    var targets: [UInt64] = []

    /// The properties with former values in the change log, by class, with the schema and members from which they were made.
    private var kept: (properties: LoggedProperties, schema: RowSchema, members: [MemberSet])?
    private var wordSets: [WordSet] = []

    /// For the words of one text; made for the first class that has a full-text index.
    var words: WordSet { wordSet(0) }
    /// For the values of the text that was there before.
    var oldWords: WordSet { wordSet(1) }

    private func wordSet(_ index: Int) -> WordSet {
        while wordSets.count <= index { wordSets.append(WordSet()) }
        return wordSets[index]
    }

    /// The properties of each class with former values in the change log; empty if it keeps no values.
    func keptMembers(_ properties: LoggedProperties?, of schema: RowSchema) -> [MemberSet] {
        guard let properties else { return [] }
        if let kept, kept.properties === properties, kept.schema === schema { return kept.members }
        let members = properties.members(of: schema)
        kept = (properties, schema, members)
        return members
    }

    /// Forgets the state of the last group, and releases memory that only a large object needs.
    func reset() {
        overlay.reset()
        if rowBuffer.roomByteCount > Self.keptByteCountMax {
            rowBuffer = ByteBuffer(capacity: 4096)
        }
        let countMax = Self.keptByteCountMax / MemoryLayout<LinkCount>.stride
        if links.capacity > countMax { links = [] }
        if targets.capacity > countMax { targets = [] }
        for words in wordSets { words.shrink(to: Self.keptByteCountMax) }
    }
}
