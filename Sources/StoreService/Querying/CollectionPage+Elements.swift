import HoldfastObjectStore
import HoldfastQuery
import HoldfastRows

extension CollectionPage {
    /// One element of the collection.
    struct Candidate {
        /// Its offset in the collection, or the object key of an object that links here.
        var position: UInt64
        /// Which of the links from that object it is; nil in a collection.
        var origin: PageCursor.Origin?
        var sortBytes: [UInt8] = []
        /// The element's row and key, where the elements are objects.
        var row: RowView?
        var key: UInt64 = 0
        var rowClass: RowClass?
        /// Of an embedded object the rows around it, its own holder last.
        var holders: [EmbeddedHolder] = []
    }

    /// Hands over the elements in their own order, from behind a position on, until `body` returns false.
    func forEachElement(
        after cursor: PageCursor?, _ body: (Candidate, UnsafeRawBufferPointer?) -> Bool
    ) {
        if compiled.storage.shape == .none {
            if !owner.hides(member, in: row) { forEachOrigin(after: cursor, body) }
            return
        }
        let collection = owner.collection(member, in: row, read)
        let first = (cursor?.position).map { $0.key < .max ? $0.key + 1 : .max } ?? 0
        guard first < UInt64(collection.count) else { return }
        collection.forEach(from: Int(first), within: read.budget) { part, offset, index in
            var candidate = Candidate(position: UInt64(index))
            if !holdsObjects {
                return body(candidate, part.isNull(offset) ? nil : part.bytes(offset))
            }
            candidate.rowClass = read.rows.classes[compiled.classIndex]
            if part.isNull(offset) {
                // An entry of a map with a deleted object.
                return body(candidate, nil)
            }
            if compiled.storage.element == .embedded {
                candidate.row = RowView(part.bytes(offset))
                candidate.key = key
                candidate.holders = [
                    EmbeddedHolder(
                        row: row, key: key, classIndex: owner.index, member: member, parent: -1)
                ]
            } else {
                candidate.key = part.pointer(offset).storedLink
                candidate.row = read.row(classIndex: compiled.classIndex, key: candidate.key)
            }
            return candidate.row == nil || body(candidate, nil)
        }
    }

    /// The objects that link here, each as often as it links, by class and object key.
    private func forEachOrigin(
        after cursor: PageCursor?, _ body: (Candidate, UnsafeRawBufferPointer?) -> Bool
    ) {
        guard compiled.originProperty >= 0 else { return }
        let originClass = read.rows.classes[compiled.classIndex]
        let property = originClass.members[compiled.originProperty].number
        let last = cursor.flatMap { cursor in
            read.rows.classIndexByNumber[cursor.origin.classNumber].map {
                ObjectIdentity(classIndex: $0, key: cursor.position.key)
            }
        }
        let embedded = EmbeddedOrigins(
            schema: read.rows, originClass: originClass, member: compiled.originProperty,
            target: key, source: read)
        var holders: [EmbeddedHolder] = []
        read.scanOrigins(owner.index, key, property: property, from: last) { identity, _, count in
            let rowClass = read.rows.classes[identity.classIndex]
            guard let row = read.row(classIndex: identity.classIndex, key: identity.key) else {
                return true
            }
            var candidate = Candidate(position: identity.key)
            candidate.key = identity.key
            candidate.rowClass = originClass
            var origin = PageCursor.Origin(classNumber: rowClass.number, repetition: 0)
            // The elements of the page before.
            var skipped = identity == last ? (cursor?.origin.repetition ?? 0) + 1 : 0
            func take(_ row: RowView, _ holders: [EmbeddedHolder]) -> Bool {
                defer { origin.repetition += 1 }
                if skipped > 0 {
                    skipped -= 1
                    return true
                }
                candidate.row = row
                candidate.origin = origin
                candidate.holders = holders
                return body(candidate, nil)
            }
            guard compiled.showsEmbedded else {
                for _ in 0..<count where !take(row, []) { return false }
                return true
            }
            return embedded.forEach(in: row, of: rowClass, key: identity.key, &holders) {
                embedded, _, holders in take(embedded, holders)
            }
        }
    }
}
