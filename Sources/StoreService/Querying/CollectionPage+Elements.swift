import ObjectStore
import Rows

extension CollectionPage {
    /// One element of the collection.
    struct Candidate {
        /// Its offset in the collection, or the object key of an object that links here.
        var position: UInt64
        /// Which of the links from that object it is; 0 in a collection.
        var repetition: UInt64 = 0
        /// What it is sorted by.
        var sortBytes: [UInt8] = []
        /// The element's row and key, where the elements are objects.
        var row: RowView?
        var key: UInt64 = 0
        /// The class of the object.
        var rowClass: RowClass?
    }

    /// Hands over the elements in their own order, from behind a position on, until `body` returns
    /// false.
    func forEachElement(
        after cursor: PageCursor?, _ body: (Candidate, UnsafeRawBufferPointer?) -> Bool
    ) {
        if compiled.storage.shape == .none { return forEachOrigin(after: cursor, body) }
        let collection = owner.collection(member, in: row, read)
        let first = (cursor?.position).map { $0.key < .max ? $0.key + 1 : .max } ?? 0
        guard first < UInt64(collection.count) else { return }
        collection.forEach(from: Int(first)) { part, offset, index in
            var candidate = Candidate(position: UInt64(index))
            if !holdsObjects {
                return body(candidate, part.isNull(offset) ? nil : part.bytes(offset))
            }
            candidate.rowClass = read.rows.classes[compiled.classIndex]
            if part.isNull(offset) {
                // An entry of a map whose object is gone.
                return body(candidate, nil)
            }
            if compiled.storage.element == .embedded {
                candidate.row = RowView(part.bytes(offset))
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
        let property = read.rows.classes[compiled.classIndex].members[compiled.originProperty]
            .number
        let last = cursor.flatMap { origin($0.position) }
        read.scanOrigins(owner.index, key, property: property, from: last) { identity, count in
            var candidate = Candidate(position: identity.key, key: identity.key)
            let rowClass = read.rows.classes[identity.classIndex]
            if isOwned { candidate.sortBytes = Self.bytes(rowClass.number) }
            candidate.row = read.row(classIndex: identity.classIndex, key: identity.key)
            candidate.rowClass = rowClass
            if candidate.row == nil { return true }
            candidate.repetition = identity == last ? (cursor?.repetition ?? 0) + 1 : 0
            while candidate.repetition < count {
                if !body(candidate, nil) { return false }
                candidate.repetition += 1
            }
            return true
        }
    }

    /// The object at a position in the order of ``forEachOrigin(after:_:)``; nil when its class is gone.
    private func origin(_ position: QueryPosition) -> ObjectIdentity? {
        if !isOwned { return ObjectIdentity(classIndex: compiled.classIndex, key: position.key) }
        let number = position.sortBytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return read.rows.classIndexByNumber[number].map {
            ObjectIdentity(classIndex: $0, key: position.key)
        }
    }

    private static func bytes(_ number: UInt32) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }
}
