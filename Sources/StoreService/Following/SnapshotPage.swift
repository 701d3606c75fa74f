import ObjectJSON
import ObjectStore
import Query
import Rows

/// A piece of the current result of a stream's query: objects in the order of classes and object keys.
struct SnapshotPage {
    /// How many objects it has.
    private(set) var count = 0
    /// The last object, if there is more.
    private(set) var next: ObjectIdentity?

    /// Reads and writes a piece.
    ///
    /// - `start`: The class to begin with, and the object key behind which to begin.
    /// - Throws: ``RequestFault`` when storage fails, or `.invalid` for an object that is too large.
    init(
        _ served: ServedStore, from start: ObjectIdentity, countMax: (objects: Int, bytes: Int),
        to writer: inout ChangeWriter
    ) throws(RequestFault) {
        let (stream, read) = (writer.stream, writer.read)
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
            let limits = served.queryLimits(of: read)
            try served.stored { () throws(StoreError) in
                let execution = try QueryExecution(query, in: read, limits: limits)
                try execution.run(limit: countMax.objects + 1) { key, row in
                    take(row, ObjectIdentity(classIndex: classIndex, key: key))
                }
            }
        }
        switch stream.observed.target {
        case .keyed(let classIndex, let primaryKey):
            if let key = read.objectKey(classIndex: classIndex, primaryKey: primaryKey),
                let row = read.row(classIndex: classIndex, key: key)
            {
                _ = take(row, ObjectIdentity(classIndex: classIndex, key: key))
            }
        case .object(let classIndex, let key):
            if let row = read.row(classIndex: classIndex, key: key) {
                _ = take(row, ObjectIdentity(classIndex: classIndex, key: key))
            }
        case .objects(let classIndex):
            try walk(classIndex, after: start.key)
        case .store:
            for rowClass in read.rows.classes[start.classIndex...]
            where rowClass.definition.kind == .object && !hasMore {
                let after = rowClass.index == start.classIndex ? start.key : 0
                try walk(rowClass.index, after: after)
            }
        }
        try served.stored { () throws(StoreError) in try read.checkFailure() }
        if writer.isTruncated {
            throw .replyTooLarge(served.limits.queryMemoryByteCountMax)
        }
        self.count = count
        next = hasMore ? last : nil
    }
}
