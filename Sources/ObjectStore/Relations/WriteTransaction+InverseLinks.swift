import Bytes
import Rows
import Storage

extension WriteTransaction {
    /// One kind of link from an origin: the property that holds it and the target.
    private struct LinkKey: Hashable {
        var property: UInt32
        var targetClass: Int
        var targetKey: UInt64
    }

    private func countLinks(_ rowClass: RowClass, _ row: RowView, only: MemberSet?) -> [LinkKey: UInt32] {
        var counts: [LinkKey: UInt32] = [:]
        rows.forEachLink(of: rowClass, in: row, only: only) { property, targetClass, targetKey in
            counts[
                LinkKey(property: property, targetClass: targetClass, targetKey: targetKey),
                default: 0] += 1
        }
        return counts
    }

    private func inverseKey(_ link: LinkKey, _ origin: RowClass, _ originKey: UInt64)
        -> UnsafeRawBufferPointer
    {
        group.keyBuffer.making {
            StoreKey.appendInversePrefix(
                rows.classes[link.targetClass].number, link.targetKey, to: $0)
            $0.append(big: link.property)
            $0.append(big: origin.number)
            $0.append(big: originKey)
        }
    }

    private func putInverse(_ link: LinkKey, _ count: UInt32, _ origin: RowClass, _ originKey: UInt64) {
        var count = count
        withUnsafeBytes(of: &count) {
            _ = group.overlay.put(inverseKey(link, origin, originKey), $0)
        }
    }

    /// Enters the links of a new row with their targets.
    func addInverseLinks(_ rowClass: RowClass, _ key: UInt64, _ row: RowView) {
        if rowClass.linkingMembers.isEmpty { return }
        for (link, count) in countLinks(rowClass, row, only: nil) {
            putInverse(link, count, rowClass, key)
        }
    }

    /// Enters the difference of two rows' links with their targets.
    ///
    /// - Parameter only: The properties that differ.
    func changeInverseLinks(
        _ rowClass: RowClass, _ key: UInt64, from old: RowView, to new: RowView, only: MemberSet
    ) {
        let before = countLinks(rowClass, old, only: only)
        let after = countLinks(rowClass, new, only: only)
        // An embedded object's property may be reached by several members of the owner, of which only
        // some changed; the counts of such links have to come from the whole rows.
        let isWhole = !rowClass.linkingMembers.contains {
            rowClass.members[$0].storage.element == .embedded
        }
        if !isWhole { return changeWholeInverseLinks(rowClass, key, from: old, to: new) }
        apply(before, after, rowClass, key)
    }

    private func changeWholeInverseLinks(
        _ rowClass: RowClass, _ key: UInt64, from old: RowView, to new: RowView
    ) {
        apply(
            countLinks(rowClass, old, only: nil), countLinks(rowClass, new, only: nil), rowClass, key)
    }

    private func apply(
        _ before: [LinkKey: UInt32], _ after: [LinkKey: UInt32], _ rowClass: RowClass, _ key: UInt64
    ) {
        for (link, count) in after where before[link] != count {
            putInverse(link, count, rowClass, key)
            if let old = before[link], old > count { recordLostLink(link) }
        }
        for link in before.keys where after[link] == nil {
            group.overlay.remove(inverseKey(link, rowClass, key))
            recordLostLink(link)
        }
    }

    private func recordLostLink(_ link: LinkKey) {
        addLostLink(
            LostLink(
                classNumber: rows.classes[link.targetClass].number, key: link.targetKey,
                propertyNumber: link.property))
    }

    /// Takes the links of a row that goes away from their targets.
    func removeInverseLinks(_ rowClass: RowClass, _ key: UInt64, _ row: RowView) {
        if rowClass.linkingMembers.isEmpty { return }
        for link in countLinks(rowClass, row, only: nil).keys {
            group.overlay.remove(inverseKey(link, rowClass, key))
            recordLostLink(link)
        }
    }

    /// The objects that link to an object, each once.
    func origins(of rowClass: RowClass, _ key: UInt64) throws(StoreError) -> [ObjectIdentity] {
        let prefix = group.keyBuffer.making {
            StoreKey.appendInversePrefix(rowClass.number, key, to: $0)
        }
        var seen: Set<ObjectIdentity> = []
        var result: [ObjectIdentity] = []
        do {
            try group.scan(KeyRange(prefix: Array(prefix)), expecting: 16) { entry, _ in
                guard let origin = InverseLink.origin(entry, rows), seen.insert(origin).inserted
                else { return true }
                result.append(origin)
                return true
            }
        } catch {
            throw .storage(error)
        }
        return result
    }
}
