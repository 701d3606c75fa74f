import Bytes
import Rows
import Storage

extension WriteTransaction {
    /// The links of a row, each kind once, in order.
    func countLinks(_ rowClass: RowClass, _ row: RowView, only: MemberSet?)
        -> ContiguousArray<LinkCount>
    {
        var links: ContiguousArray<LinkCount> = []
        countLinks(rowClass, row, only: only, &links)
        return links
    }

    private func countLinks(
        _ rowClass: RowClass, _ row: RowView, only: MemberSet?,
        _ links: inout ContiguousArray<LinkCount>
    ) {
        rows.forEachLink(of: rowClass, in: row, only: only, overflow) {
            property, targetClass, targetKey in
            links.append(
                LinkCount(
                    kind: LinkKind(
                        property: property, targetClass: targetClass, targetKey: targetKey)))
        }
        guard links.count > 1 else { return }
        links.sort { $0.kind.order($1.kind) < 0 }
        var end = 0
        for position in 1..<links.count {
            if links[position].kind.order(links[end].kind) == 0 {
                links[end].count += 1
            } else {
                end += 1
                links[end] = links[position]
            }
        }
        links.removeSubrange((end + 1)...)
    }

    private func inverseKey(_ link: LinkKind, _ origin: RowClass, _ originKey: UInt64)
        -> UnsafeRawBufferPointer
    {
        keyBuffer.making { StoreKey.appendInverse(link, rows, origin, originKey, to: $0) }
    }

    private func putInverse(_ link: LinkCount, _ origin: RowClass, _ originKey: UInt64) {
        withUnsafeBytes(of: link.count.littleEndian) {
            _ = overlay.put(inverseKey(link.kind, origin, originKey), $0)
        }
    }

    private func removeInverse(_ link: LinkKind, _ origin: RowClass, _ originKey: UInt64) {
        overlay.remove(inverseKey(link, origin, originKey))
        // Nobody sees where the links of an asymmetric class lead.
        if !origin.isAsymmetric { recordLostLink(link) }
    }

    /// Enters the difference of two rows' links with their targets.
    ///
    /// - `old`: The row before; nil for a new object.
    /// - `new`: Nil for an object that goes away.
    /// - `changed`: The properties that differ; nil for all.
    func changeInverseLinks(
        _ rowClass: RowClass, _ key: UInt64, from old: RowView?, to new: RowView?,
        _ changed: MemberSet? = nil
    ) {
        let linking = rowClass.linkingMembers
        guard linking.contains(where: { changed?.contains($0) ?? true }) else { return }
        var only = changed
        if let changed {
            // An embedded object's property may be reached by several members of the owner, of which only
            // some changed; the counts of such links have to come from all of them.
            let embedding = linking.filter { rowClass.members[$0].storage.element == .embedded }
            if embedding.contains(where: { changed.contains($0) }) {
                for member in embedding { only?.insert(member) }
            }
        }
        // In the memory of the object before.
        var links = ContiguousArray<LinkCount>()
        swap(&links, &memory.links)
        if let new { countLinks(rowClass, new, only: only, &links) }
        changeInverseLinks(
            rowClass, key, from: old.map { countLinks(rowClass, $0, only: only) } ?? [], to: links)
        links.removeAllInPlace()
        swap(&links, &memory.links)
    }

    /// Enters the difference of an object's links, as they were and are counted, with their targets.
    func changeInverseLinks(
        _ rowClass: RowClass, _ key: UInt64, from before: ContiguousArray<LinkCount>,
        to after: ContiguousArray<LinkCount>
    ) {
        var position = 0
        for link in after {
            while position < before.count, before[position].kind.order(link.kind) < 0 {
                removeInverse(before[position].kind, rowClass, key)
                position += 1
            }
            if position < before.count, before[position].kind.order(link.kind) == 0 {
                let old = before[position].count
                position += 1
                if old == link.count { continue }
                if old > link.count { recordLostLink(link.kind) }
            }
            putInverse(link, rowClass, key)
        }
        for link in before[position...] { removeInverse(link.kind, rowClass, key) }
    }

    /// Enters with its target that an object has more or fewer links of a kind.
    func changeInverse(
        _ link: LinkKind, _ origin: RowClass, _ originKey: UInt64, by change: Int
    ) throws(StoreError) {
        let stored = try value(inverseKey(link, origin, originKey)).map { InverseLink.count($0) }
        let count = (stored ?? 0) + change
        if count <= 0 { return removeInverse(link, origin, originKey) }
        if change < 0 { recordLostLink(link) }
        putInverse(LinkCount(kind: link, count: UInt32(clamping: count)), origin, originKey)
    }

    private func recordLostLink(_ link: LinkKind) {
        addLostLink(
            LostLink(
                classNumber: rows.classes[link.targetClass].number, key: link.targetKey,
                propertyNumber: link.property))
    }

    /// Removes every inverse link of an object that goes away.
    func removeInverseLinks(to rowClass: RowClass, _ key: UInt64) throws(StoreError) {
        let prefix = Array(
            keyBuffer.making { StoreKey.appendInversePrefix(rowClass.number, key, to: $0) })
        let keys = ByteBuffer(capacity: 512)
        try scan(KeyRange(prefix: prefix), expecting: 16) { entry, _ in
            if entry.count == InverseLink.keyByteCount { keys.append(entry) }
            return true
        }
        for start in stride(from: 0, to: keys.count, by: InverseLink.keyByteCount) {
            let entry = UnsafeRawBufferPointer(
                rebasing: keys.bytes[start..<(start + InverseLink.keyByteCount)])
            overlay.remove(entry)
            addLostLink(
                LostLink(
                    classNumber: rowClass.number, key: key,
                    propertyNumber: InverseLink.propertyNumber(entry)))
        }
    }

    /// The links to an object, those of one origin and property as one.
    func incomingLinks(of rowClass: RowClass, _ key: UInt64) throws(StoreError) -> [IncomingLink] {
        let prefix = keyBuffer.making {
            StoreKey.appendInversePrefix(rowClass.number, key, to: $0)
        }
        var result: [IncomingLink] = []
        try scan(KeyRange(prefix: Array(prefix)), expecting: 16) { entry, _ in
            let number = InverseLink.propertyNumber(entry)
            // A schema change leaves links behind for a while, and enters others beforehand.
            guard let origin = InverseLink.origin(entry, rows),
                let location = rows.memberByNumber[number]
            else { return true }
            result.append(
                IncomingLink(
                    origin: origin, property: number,
                    isOwn: location.classIndex == origin.classIndex,
                    onDelete: rows.classes[location.classIndex].members[location.member]
                        .onDelete))
            return true
        }
        return result
    }
}
