import HoldfastBytes
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRows

/// Writes the objects of a page in the form that the client wants, one after the other, straight into the
/// buffer of the reply. Not copied: it is asked for each object whether it has room.
struct PageWriter: ~Copyable {
    private var writer: ObjectWriter
    private let view: PageView
    private let query: CheckedQuery
    private let records: CSVRecords?
    private var count = 0

    /// Makes a writer, and writes the beginning before the objects.
    init(_ view: PageView, _ query: CheckedQuery, _ buffer: ByteBuffer) {
        (self.view, self.query) = (view, query)
        writer = view.objectWriter(buffer)
        switch query.form {
        case .json:
            records = nil
            buffer.append("{\"objects\":[")
        case .geoJSON:
            records = nil
            buffer.append("{\"type\":\"FeatureCollection\",\"features\":[")
        case .csv:
            let records = CSVRecords(
                query.selection, names: view.names, read: view.read, into: buffer)
            records.writeHeader()
            self.records = records
        }
    }

    /// Whether more objects are written.
    var hasRoom: Bool { writer.hasRoom }

    /// Ends the objects.
    ///
    /// - Throws: ``RequestFault`` where the reply exceeds its limit and is incomplete.
    func finish() throws(RequestFault) { try view.served.mappingStoreErrors(writer.finish()) }

    mutating func write(_ row: RowView, key: UInt64) {
        if let records { return records.write(row, key: key) }
        if count > 0 { writer.json.comma() }
        count += 1
        if let points = query.points {
            writeFeature(row, key: key, points.path, beside: points.beside)
        } else {
            writer.write(row, key: key, query.selection)
        }
    }

    /// Writes the end of the page. CSV has no place for anything after its records.
    func end(
        next: PageCursor?, count total: Int?, _ account: PageAccount, rowsReturned: Int
    ) throws(RequestFault) -> PageReply {
        if records != nil {
            return try view.reply(
                .csv, next: try next.map { next throws(RequestFault) in try view.cursorText(next) })
        }
        writer.json.raw("]")
        var reply = try view.end(
            writer.json, next: next, count: total, account, rowsReturned: rowsReturned)
        reply.form = query.form
        return reply
    }

    private mutating func writeFeature(
        _ row: RowView, key: UInt64, _ path: PointPath, beside: FieldSelection
    ) {
        let json = writer.json
        json.raw("{\"type\":\"Feature\"")
        let rowClass = query.selection.rowClass
        // An identifier is a string or a number, never null.
        let hasID = rowClass.primaryKeyIndex.map { !rowClass.field($0, in: row).isNull } ?? true
        if hasID {
            json.raw(",\"id\":")
            writer.writeID(row, key: key, rowClass)
        }
        json.raw(",\"geometry\":")
        let point = path.point(of: row, view.read)
        if let point {
            json.raw("{\"type\":\"Point\",\"coordinates\":[")
            json.double(point.longitude)
            json.comma()
            json.double(point.latitude)
            if let altitude = point.altitude {
                json.comma()
                json.double(altitude)
            }
            json.raw("]}")
        } else {
            json.null()
        }
        json.raw(",\"properties\":")
        // A value that is no point for a geometry is shown unchanged.
        let isHeld =
            point != nil || path.ownMember.map { rowClass.embedded($0, in: row) == nil } ?? true
        writer.write(row, key: key, isHeld ? beside : query.selection)
        json.raw("}")
    }
}
