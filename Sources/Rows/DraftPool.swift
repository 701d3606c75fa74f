/// A pool of drafts, for reusing their memory.
///
/// A draft takes about six allocations, and an import makes hundreds of thousands of drafts a second on one thread. Freeing them
/// on another thread would make both wait for the allocator's lock. One thread at a time uses a pool, and the drafts that came
/// from it.
///
/// Benchmark rows: `put-plain`, `import`.
package final class DraftPool {
    /// The maximum size of a draft that is kept for reuse, in bytes.
    private static let keptByteCountMax = 2048

    private var drafts: ContiguousArray<ObjectDraft> = []
    private var usedCount = 0

    package init() {}

    package func draft(_ rowClass: RowClass, isMerge: Bool) -> ObjectDraft {
        defer { usedCount += 1 }
        if usedCount == drafts.count {
            drafts.append(ObjectDraft(rowClass, isMerge: isMerge))
        } else if drafts[usedCount].rowClass === rowClass {
            drafts[usedCount].restart(isMerge: isMerge)
        } else {
            drafts[usedCount] = ObjectDraft(rowClass, isMerge: isMerge)
        }
        return drafts[usedCount]
    }

    /// Takes all drafts back. They must not be used afterwards.
    ///
    /// - `keeping`: The number of drafts to keep for reuse. Large ones are replaced.
    package func takeBack(keeping countMax: Int) {
        for position in 0..<min(usedCount, countMax)
        where drafts[position].heldByteCount > Self.keptByteCountMax {
            drafts[position] = ObjectDraft(drafts[position].rowClass, isMerge: false)
        }
        if drafts.count > countMax { drafts.removeSubrange(countMax...) }
        usedCount = 0
    }
}
