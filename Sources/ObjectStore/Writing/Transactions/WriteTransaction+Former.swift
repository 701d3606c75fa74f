import HoldfastRows

extension WriteTransaction {
    /// The longest value that is kept however many there are.
    private static let smallByteCountMax = 1_024
    /// The longest that is kept, and all that are longer than small ones, in a transaction: a catch-up does without more of large collections and
    /// texts.
    private static let largeByteCountMax = (each: 16 << 10, all: 4 << 20)

    /// The values that the change log keeps of an object that is changed or deleted. Cost for a class of which nothing is kept: a look
    /// into an array.
    ///
    /// - Parameters:
    ///   - rowClass: Its class.
    ///   - key: Its object key.
    ///   - stored: The row that it has had so far.
    ///   - changed: The properties that change; nil for all of them.
    /// - Returns: Those of the properties that rules read, as far as they are not too large.
    func formerValues(
        _ rowClass: RowClass, _ key: UInt64, _ stored: RowView, of changed: MemberSet? = nil
    ) -> [FormerValue] {
        guard !group.kept.isEmpty else { return [] }
        let kept = group.kept[rowClass.index]
        guard !kept.isEmpty, !(changed?.isDisjoint(with: kept) ?? false) else { return [] }
        var values: [FormerValue] = []
        for (member, compiled) in rowClass.members.enumerated()
        where kept.contains(member) && changed?.contains(member) ?? true {
            let field = rowClass.field(member, in: stored)
            if compiled.storage.isInHeap, !field.isNull {
                // What lies out of line goes with the change.
                let mayReferOutside = compiled.isEmbedded && stored.holdsOverflow
                if mayReferOutside || field.isOutOfLine { continue }
                let count = field.heap.count
                if count > Self.smallByteCountMax {
                    // Of several edits the first one's value counts.
                    guard count <= Self.largeByteCountMax.each,
                        largeFormerByteCount + count <= Self.largeByteCountMax.all,
                        !recorder.hasChange(of: compiled.number, rowClass, key)
                    else { continue }
                    largeFormerByteCount += count
                }
            }
            let tagged = rowBuffer.making { field.appendTagged(compiled.storage, to: $0) }
            values.append(FormerValue(property: compiled.number, tagged: Array(tagged)))
        }
        return values
    }
}
