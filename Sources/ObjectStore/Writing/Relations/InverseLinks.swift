import HoldfastBytes
import HoldfastObjectModel
import HoldfastRows
import HoldfastStorage

/// The inverse links that a transaction enters with the targets of links, and the targets that lost one.
struct InverseLinks {
    private let group: CommitGroup
    private var lostLinks: Set<LostLink> = []
    /// The lost links that were noted in an attempt and not before.
    var undo = UndoLog<LostLink>()

    init(_ group: CommitGroup) { self.group = group }

    /// The targets that lost a link.
    var lost: [LostLink] { lostLinks.isEmpty ? [] : Array(lostLinks) }

    // MARK: Links of a row

    /// Counts the links of a row, each kind once, in order.
    func count(
        _ rowClass: RowClass, _ row: RowView, only: MemberSet? = nil
    ) -> ContiguousArray<LinkCount> {
        var links: ContiguousArray<LinkCount> = []
        count(rowClass, row, only: only, &links)
        return links
    }

    private func count(
        _ rowClass: RowClass, _ row: RowView, only: MemberSet?,
        _ links: inout ContiguousArray<LinkCount>
    ) {
        group.rows.forEachLink(of: rowClass, in: row, only: only, group.overflow) {
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

    // MARK: Changing

    /// Enters the difference of two rows' links with their targets.
    mutating func change(_ change: RowChange) {
        let rowClass = change.rowClass
        let linking = rowClass.linkingMembers
        guard linking.contains(where: change.concerns) else { return }
        var only = change.members
        if let changed = change.members {
            // An embedded object's property may be reached by several members of the owner, of which only
            // some changed; the counts of such links have to come from all of them.
            let embedding = linking.filter { rowClass.members[$0].storage.element == .embedded }
            if embedding.contains(where: { changed.contains($0) }) {
                for member in embedding { only?.insert(member) }
            }
        }
        // In the memory of the object before.
        var links = ContiguousArray<LinkCount>()
        swap(&links, &group.memory.links)
        if let new = change.new { count(rowClass, new, only: only, &links) }
        let before = change.old.map { count(rowClass, $0, only: only) } ?? []
        self.change(rowClass, change.key, from: before, to: links)
        links.removeAllInPlace()
        swap(&links, &group.memory.links)
    }

    /// Enters the difference of an object's links, as they were and are counted, with their targets.
    mutating func change(
        _ rowClass: RowClass, _ key: UInt64, from before: ContiguousArray<LinkCount>,
        to after: ContiguousArray<LinkCount>
    ) {
        var position = 0
        for link in after {
            while position < before.count, before[position].kind.order(link.kind) < 0 {
                remove(before[position].kind, rowClass, key)
                position += 1
            }
            if position < before.count, before[position].kind.order(link.kind) == 0 {
                let old = before[position].count
                position += 1
                if old == link.count { continue }
                if old > link.count { lose(link.kind) }
            }
            put(link, rowClass, key)
        }
        for link in before[position...] { remove(link.kind, rowClass, key) }
    }

    /// Enters with its target that an object has more or fewer links of a kind.
    mutating func change(
        _ link: LinkKind, _ origin: RowClass, _ originKey: UInt64, by change: Int
    ) throws(StoreError) {
        let stored = try group.value(key(link, origin, originKey)).map { InverseLink.count($0) }
        let count = (stored ?? 0) + change
        if count <= 0 { return remove(link, origin, originKey) }
        if change < 0 { lose(link) }
        put(LinkCount(kind: link, count: UInt32(clamping: count)), origin, originKey)
    }

    private func key(
        _ link: LinkKind, _ origin: RowClass, _ originKey: UInt64
    ) -> UnsafeRawBufferPointer {
        group.keyBuffer.making {
            StoreKey.appendInverse(link, group.rows, origin, originKey, to: $0)
        }
    }

    private func put(_ link: LinkCount, _ origin: RowClass, _ originKey: UInt64) {
        withUnsafeBytes(of: link.count.littleEndian) {
            _ = group.overlay.put(key(link.kind, origin, originKey), $0)
        }
    }

    private mutating func remove(_ link: LinkKind, _ origin: RowClass, _ originKey: UInt64) {
        group.overlay.remove(key(link, origin, originKey))
        // Links of an asymmetric class do not show at their targets.
        if !origin.isAsymmetric { lose(link) }
    }

    private mutating func lose(_ link: LinkKind) {
        lose(
            LostLink(
                classNumber: group.rows.classes[link.targetClass].number, key: link.targetKey,
                propertyNumber: link.property))
    }

    private mutating func lose(_ link: LostLink) {
        if lostLinks.insert(link).inserted { undo.note(link) }
    }

    /// Removes every inverse link of an object that goes away.
    mutating func removeAll(to rowClass: RowClass, _ key: UInt64) throws(StoreError) {
        let prefix = Array(
            group.keyBuffer.making { StoreKey.appendInversePrefix(rowClass.number, key, to: $0) })
        let keys = ByteBuffer(capacity: 512)
        try group.scan(KeyRange(prefix: prefix), expecting: 16) { entry, _ in
            if entry.count == InverseLink.keyByteCount { keys.append(entry) }
            return true
        }
        for start in stride(from: 0, to: keys.count, by: InverseLink.keyByteCount) {
            let entry = UnsafeRawBufferPointer(
                rebasing: keys.bytes[start..<(start + InverseLink.keyByteCount)])
            group.overlay.remove(entry)
            lose(
                LostLink(
                    classNumber: rowClass.number, key: key,
                    propertyNumber: InverseLink.propertyNumber(entry)))
        }
    }

    // MARK: Links to an object

    /// Finds the links to an object. Links from one origin through one property count as one.
    func incoming(of rowClass: RowClass, _ key: UInt64) throws(StoreError) -> [IncomingLink] {
        let rows = group.rows
        let prefix = group.keyBuffer.making {
            StoreKey.appendInversePrefix(rowClass.number, key, to: $0)
        }
        var result: [IncomingLink] = []
        try group.scan(KeyRange(prefix: Array(prefix)), expecting: 16) { entry, _ in
            let number = InverseLink.propertyNumber(entry)
            // A schema change leaves links behind for a while, and enters others beforehand.
            guard let origin = InverseLink.origin(entry, rows),
                let location = rows.memberByNumber[number]
            else { return true }
            result.append(
                IncomingLink(
                    origin: origin, property: number,
                    isOwn: location.classIndex == origin.classIndex,
                    onDelete: rows.classes[location.classIndex].members[location.member].onDelete))
            return true
        }
        return result
    }

    // MARK: Taking back

    /// Reverts the notes of the attempt.
    mutating func rollBack() {
        while let link = undo.popLast() { lostLinks.remove(link) }
    }

    /// Forgets the notes.
    mutating func removeAll() {
        if !lostLinks.isEmpty { lostLinks.removeAll(keepingCapacity: true) }
    }
}

/// An object that links to another, and the property that holds the link, however often.
struct IncomingLink {
    /// The object, or the owner of the embedded object, that holds the link.
    var origin: ObjectIdentity
    var property: UInt32
    /// Whether the property is one of the origin's own class and not of an embedded object's.
    var isOwn: Bool
    /// The property's rule for the deletion of its targets.
    var onDelete: OnDelete
}

/// The number of links of a kind that an origin has.
struct LinkCount {
    var kind: LinkKind
    var count: UInt32 = 1
}
