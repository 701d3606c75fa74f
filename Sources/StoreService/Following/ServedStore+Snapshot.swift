import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRows

extension ServedStore {
    /// Writes a piece of the current result of a stream's query: objects in the order of classes and object keys.
    ///
    /// - `place`: The object behind which to begin; nil for the first one.
    /// - Returns: How many objects it has, and the last one if there is more; nil where the class to begin with has gone.
    /// - Throws: ``RequestFault`` when storage fails.
    func writeSnapshot(
        behind place: StreamCursor.SnapshotPlace?, countMax: (objects: Int, bytes: Int),
        to writer: inout ChangeWriter
    ) throws(RequestFault) -> (count: Int, next: StreamCursor.SnapshotPlace?)? {
        let (stream, read) = (writer.stream, writer.read)
        var start = ObjectIdentity(classIndex: stream.observed.classIndex ?? 0, key: 0)
        if let place {
            guard let index = read.rows.classIndexByNumber[place.classNumber] else { return nil }
            start = ObjectIdentity(classIndex: index, key: place.key)
        }
        var count = 0
        var last: ObjectIdentity?
        var hasMore = false
        func take(_ row: RowView, _ identity: ObjectIdentity) -> Bool {
            if count == countMax.objects || writer.byteCount > countMax.bytes {
                hasMore = true
                return false
            }
            if count > 0 { writer.raw(",") }
            writer.writeSnapshot(row, identity)
            count += 1
            last = identity
            return true
        }
        func walk(_ classIndex: Int, after key: UInt64) throws(RequestFault) {
            let query = ObjectQuery(
                classIndex: classIndex, predicate: stream.observed.predicate,
                after: key == 0 ? nil : QueryPosition(sortBytes: [], key: key),
                expectedCount: countMax.objects + 1)
            let execution = try stored(
                QueryExecution(query, in: read, limits: queryLimits(of: read)))
            try stored(
                execution.run(limit: countMax.objects + 1) { key, row in
                    take(row, ObjectIdentity(classIndex: classIndex, key: key))
                })
        }
        func takeOne(_ classIndex: Int, _ key: UInt64) {
            guard let row = read.row(classIndex: classIndex, key: key) else { return }
            _ = take(row, ObjectIdentity(classIndex: classIndex, key: key))
        }
        switch stream.observed.target {
        case .keyed(let classIndex, let primaryKey):
            let key = read.objectKey(classIndex: classIndex, primaryKey: primaryKey)
            if let key { takeOne(classIndex, key) }
        case .object(let classIndex, let key): takeOne(classIndex, key)
        case .objects(let classIndex):
            try walk(classIndex, after: start.key)
        case .store:
            for rowClass in read.rows.classes[start.classIndex...]
            where rowClass.definition.kind == .object && !hasMore {
                let after = rowClass.index == start.classIndex ? start.key : 0
                try walk(rowClass.index, after: after)
            }
        }
        guard hasMore, let last else { return (count, nil) }
        let classNumber = read.rows.classes[last.classIndex].number
        return (count, StreamCursor.SnapshotPlace(classNumber: classNumber, key: last.key))
    }
}
