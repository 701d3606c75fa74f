/// A pool of drafts whose memory is reused.
///
/// A draft is half a dozen allocations; an import makes hundreds of thousands of drafts a second on one
/// thread, and freeing them on another makes both wait for the allocator's lock. One thread at a time
/// uses a pool, and with it the drafts that came from it.
package final class DraftPool {
    /// The most bytes of a draft that is kept for reuse.
    private static let keptByteCountMax = 2048

    private var drafts: ContiguousArray<ObjectDraft> = []
    private var usedCount = 0

    /// Makes an empty pool.
    package init() {}

    /// Returns a draft that states nothing.
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

    /// Takes all drafts back: none may be used any more.
    ///
    /// - `keeping`: The number to keep for the next ones; those that hold much are not among them.
    package func takeBack(keeping countMax: Int) {
        for position in 0..<min(usedCount, countMax)
        where drafts[position].heldByteCount > Self.keptByteCountMax {
            drafts[position] = ObjectDraft(drafts[position].rowClass, isMerge: false)
        }
        if drafts.count > countMax { drafts.removeSubrange(countMax...) }
        usedCount = 0
    }
}
